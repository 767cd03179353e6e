"""Tests the forward pass: compares it with the reference's float64 outputs for every BERT of the test data."""

import json
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from support.converter import require_data

from tools.convert.forward_pass import (
    ACTIVATIONS,
    NoForwardPass,
    Sequence,
    Weights,
    architecture_of,
    hidden_states,
    pooled,
)
from tools.convert.safetensors_file import read_safetensors
from tools.convert.source_file import SourceFile


def weights_of(folder: Path, on_bytes=lambda count: None) -> Weights:
    """Return the weights of a folder of the test data."""
    return Weights(read_safetensors(SourceFile(str(folder / "model.safetensors"))), on_bytes)


class ForwardPass(unittest.TestCase):
    """Tests sequences without masked tokens."""

    def check(self, folder: Path) -> int:
        """Compare every hidden state and the pooled output. The reference's float64 error is about 1e-14. Return the
        number of sequences."""
        golden = json.loads((folder / "golden.json").read_text(encoding="utf-8"))
        cases = [case for case in golden["cases"] if case["kind"] in ("single", "pair")]
        if not cases:
            return 0
        model = architecture_of(json.loads((folder / "config.json").read_text(encoding="utf-8")))
        weights = weights_of(folder)
        sequences = [Sequence(case["input_ids"], case["token_type_ids"]) for case in cases]
        states = list(hidden_states(weights, model, sequences))
        outputs = golden["outputs"]

        def array(name: str) -> np.ndarray:
            return np.load(folder / outputs[name]["file"])

        last = array("last_hidden_state")
        expected = np.concatenate([last[case["row_offset"] :][: case["rows"]] for case in cases])
        np.testing.assert_allclose(states[-1][0], expected, rtol=0, atol=1e-12)
        # In float32, the largest error may be three times the reference's.
        limit = 3 * max(error for error in outputs["last_hidden_state"]["float32_error"].values() if error)
        np.testing.assert_allclose(states[-1][1], expected, rtol=0, atol=limit)
        starts = np.cumsum([0] + [len(sequence.ids) for sequence in sequences])[:-1]
        if "pooler_output" in outputs:
            indices = [golden["cases"].index(case) for case in cases]
            found = pooled(weights, [rows[starts] for rows in states[-1]])
            np.testing.assert_allclose(found[0], array("pooler_output")[indices], rtol=0, atol=1e-12)
        for entry in outputs.get("hidden_states", {}).get("cases", []):
            numbers = [i for i, case in enumerate(cases) if case["id"] == entry["id"]]
            for i in numbers:
                rows = array("hidden_states")[entry["row_offset"] :][: entry["states"] * entry["rows"]]
                got = np.concatenate([state[0][starts[i] :][: entry["rows"]] for state in states])
                np.testing.assert_allclose(got, rows, rtol=0, atol=1e-12)
        return len(cases)

    def test_equals_the_reference(self) -> None:
        """The models have every activation, odd sizes, relative positions, several number types, and heads beside the
        encoder."""
        compared = {}
        for folder in sorted(require_data("family").iterdir()):
            if folder.name.startswith("bert-") and (folder / "model.safetensors").exists():
                if "old-names" in folder.name:
                    continue  # the forward pass needs the converter's names
                with self.subTest(folder.name):
                    compared[folder.name] = self.check(folder)
        self.assertEqual([name for name, count in compared.items() if not count], ["bert-multiple-choice"])
        self.assertLessEqual({f"bert-act-{name}" for name in ACTIVATIONS}, set(compared))

    def test_reads_weights_in_pieces_and_each_table_row_once(self) -> None:
        """Fewer bytes are read than the file has, because only the rows of the sequence's tokens are read."""
        folder = require_data("family", "bert-odd-1")
        sizes: list[int] = []
        weights = weights_of(folder, sizes.append)
        model = architecture_of(json.loads((folder / "config.json").read_text(encoding="utf-8")))
        list(hidden_states(weights, model, [Sequence([3, 3, 3], [0, 0, 0])]))
        self.assertLess(sum(sizes), (folder / "model.safetensors").stat().st_size - (model.vocabulary - 2) * 4)


class Refusals(unittest.TestCase):
    """Tests configurations that the forward pass refuses."""

    def test_says_what_is_not_bert(self) -> None:
        """The error names another family, or the unsupported part of a BERT."""
        for config, words in (
            ({"model_type": "roberta"}, "this is 'roberta'"),
            ({"architectures": ["DistilBertModel"]}, "this is 'DistilBertModel'"),
            ({"model_type": "bert", "hidden_act": "prelu"}, "hidden_act 'prelu' is not computed"),
            ({"model_type": "bert", "hidden_act": []}, "hidden_act"),
            ({"model_type": "bert", "hidden_size": 7, "num_attention_heads": 2}, "no multiple of 2 heads"),
            ({"model_type": "bert", "num_hidden_layers": "many"}, "num_hidden_layers is 'many', expected an integer"),
            ({"model_type": "bert", "vocab_size": 10**30}, "vocab_size is .*, expected an integer"),
            ({"model_type": "bert", "position_embedding_type": "x"}, "position_embedding_type 'x'"),
            ({"model_type": "bert", "position_embeddings_at": "x"}, "position_embeddings_at 'x'"),
            ({"model_type": "bert", "layer_norm_eps": None}, "layer_norm_eps"),
        ):
            with self.subTest(config), self.assertRaisesRegex(NoForwardPass, words):
                architecture_of(config)
        self.assertEqual(architecture_of({"architectures": ["BertModel"]}).hidden, 768)

    def test_says_which_tensor_is_missing_or_wrong(self) -> None:
        """The configuration has other sizes than the weights."""
        folder = require_data("family", "bert-odd-1")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        for key, value, words in (
            ("num_hidden_layers", 4, "no tensor 'encoder.layer.3"),
            ("intermediate_size", 5, "has the shape .*, config.json says"),
            ("vocab_size", 5, "word_embeddings.weight' has the shape"),
        ):
            with self.subTest(key), self.assertRaisesRegex(NoForwardPass, words):
                list(hidden_states(weights_of(folder), architecture_of(config | {key: value}), [Sequence([1], [0])]))


if __name__ == "__main__":
    unittest.main()
