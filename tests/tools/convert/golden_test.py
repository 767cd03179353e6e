"""Tests the golden vectors beside converted weights: their cases, the report, and when there are no golden vectors."""

import hashlib
import json
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from support.converter import ConverterTest, read_arrays, require_data, safetensors_of, small_model

from tools.convert.forward_pass import architecture_of
from tools.convert.golden import LONGEST, TEXTS, id_cases, read_vocabulary, text_cases, word_pieces


class Cases(unittest.TestCase):
    """Tests the cases for a model."""

    def test_pieces_are_the_longest_first(self) -> None:
        """The ids are found by hand for a word of three pieces, a word without pieces, and punctuation."""
        vocabulary = {token: i for i, token in enumerate(["[UNK]", "un", "unb", "##b", "##el", "##able", "."])}
        self.assertEqual(word_pieces("unbelable . unbx un", vocabulary), [2, 4, 5, 6, 0, 1])

    def test_texts_have_the_ids_of_the_reference(self) -> None:
        """The ids equal those of the reference's tokenizer on the official uncased vocabulary."""
        folder = require_data("family", "tiny-tagger")
        try:
            from tokenizers import BertWordPieceTokenizer
        except ImportError:
            raise unittest.SkipTest("the package tokenizers is not installed") from None
        model = architecture_of(json.loads((folder / "config.json").read_text(encoding="utf-8")))
        vocabulary, why_not = read_vocabulary(str(folder), model)
        self.assertEqual(why_not, "")
        cases = text_cases(vocabulary, model)
        self.assertEqual([(case.text, case.pair) for case in cases], list(TEXTS))
        tokenizer = BertWordPieceTokenizer(str(folder / "vocab.txt"))
        for case in cases:
            expected = tokenizer.encode(case.text, case.pair)
            self.assertEqual((case.sequence.ids, case.sequence.type_ids), (expected.ids, expected.type_ids))

    def test_ids_reach_every_segment_and_the_ends_of_the_vocabulary(self) -> None:
        """A model may have one segment or a single position."""
        for config in ({}, {"type_vocab_size": 1}, {"type_vocab_size": 3}, {"vocab_size": 1, "hidden_size": 12}):
            model = architecture_of(config)
            cases = id_cases(model)
            self.assertEqual([len(case.sequence.ids) for case in cases], [1, 16, LONGEST])
            for case in cases[1:]:
                self.assertEqual({0, model.vocabulary - 1} - set(case.sequence.ids), set())
                self.assertEqual(set(case.sequence.type_ids), set(range(model.segments)))
        short = id_cases(architecture_of({"max_position_embeddings": 1}))
        self.assertEqual([case.sequence.ids for case in short[1:]], [[0], [0]])


class Files(ConverterTest):
    """Tests the golden vectors that a conversion writes."""

    def setUp(self) -> None:
        """Copy a model of the test data, and give it the vocabulary that it lacks."""
        super().setUp()
        self.source = require_data("family", "bert-odd-1")
        self.model = self.folder / "model"
        self.model.mkdir()
        for name in ("config.json", "model.safetensors"):
            (self.model / name).write_bytes((self.source / name).read_bytes())
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "the", "dog", "##s", "is", "it", "."]
        (self.model / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")

    def golden(self, *options: object) -> dict:
        """Convert, and return verify.json."""
        self.last = self.convert(self.model, "--output", self.folder / "out", "--force", *options)
        return json.loads((self.folder / "out" / "verify.json").read_text(encoding="utf-8"))

    def test_holds_ten_texts_and_three_sequences_of_ids(self) -> None:
        """The arrays have the model's shapes, and the limits have the size of single precision's errors."""
        golden = self.golden()
        self.assertEqual(golden["version"], 1)
        weights = (self.folder / "out" / "model.safetensors").read_bytes()
        self.assertEqual(golden["sha256"]["result"], {"model.safetensors": hashlib.sha256(weights).hexdigest()})
        self.assertEqual(sum("text" in case for case in golden["cases"]), 10)
        self.assertEqual(len(golden["cases"]), 13)
        for case in golden["cases"]:
            self.assertEqual(np.shape(case["last_hidden_state"]), (len(case["ids"]), 36))
            self.assertEqual(np.shape(case["first_token_by_layer"]), (4, 36))
            self.assertEqual(case["first_token_by_layer"][-1], case["last_hidden_state"][0])
            self.assertEqual(np.shape(case["pooler_output"]), (36,))
        for limit in golden["limits"].values():
            self.assertGreater(limit, 1e-7)
            self.assertLess(limit, 1e-4)
        self.assertIn("13 sequences, 10 of them texts", self.last["output"])

    def test_is_of_the_weights_as_they_were_written(self) -> None:
        """Narrowed weights get other golden vectors. A second conversion writes the same bytes."""
        wide = self.golden()
        path = self.folder / "out" / "verify.json"
        content = path.read_bytes()
        self.golden()
        self.assertEqual(path.read_bytes(), content)
        narrow = self.golden("--dtype", "bf16")
        difference = np.abs(
            np.array(wide["cases"][0]["last_hidden_state"]) - np.array(narrow["cases"][0]["last_hidden_state"])
        ).max()
        self.assertGreater(difference, 1e-4)
        self.assertLess(difference, 0.5)

    def test_is_told_and_left_out_where_it_cannot_be(self) -> None:
        """For another family, a missing layer or an unsupported activation, the report gives the reason, no verify.json
        is written, and an older one is removed."""
        out = self.folder / "out"
        self.golden()
        config = json.loads((self.model / "config.json").read_text(encoding="utf-8"))
        for change, words in (
            ({"model_type": "roberta"}, "computed for BERT, and this is 'roberta'"),
            ({"num_hidden_layers": 9}, "no tensor 'encoder.layer.3"),
            ({"hidden_act": "xielu"}, "hidden_act 'xielu'"),
        ):
            with self.subTest(words):
                (self.model / "config.json").write_text(json.dumps(config | change), encoding="utf-8")
                self.golden_was_there(out)
                result = self.convert(self.model, "--output", out, "--force")
                self.assertIn("no verify.json", result["output"])
                self.assertIn(words, result["output"])
                self.assertFalse((out / "verify.json").exists())
        (self.model / "config.json").write_text(json.dumps(config), encoding="utf-8")
        self.golden_was_there(out)
        result = self.convert(self.model, "--output", out, "--force", "--no-verify")
        self.assertIn("no verify.json: --no-verify", result["output"])
        self.assertFalse((out / "verify.json").exists())

    def golden_was_there(self, out: Path) -> None:
        """Write the verify.json of an earlier conversion."""
        (out / "verify.json").write_text("{}", encoding="utf-8")

    def test_is_not_written_over_without_force(self) -> None:
        """An older verify.json, like every other file of the result, is replaced only with --force."""
        out = self.folder / "out"
        out.mkdir()
        self.golden_was_there(out)
        self.refuse("verify.json' exists", self.model, "--output", out)
        self.assertEqual(sorted(item.name for item in out.iterdir()), ["verify.json"])

    def test_is_left_out_where_the_outputs_are_not_finite(self) -> None:
        """Weights with a NaN, which --allow-nonfinite converts, get no golden vectors."""
        arrays = {key: value.copy() for key, value in read_arrays(self.model / "model.safetensors").items()}
        arrays["encoder.layer.1.output.dense.bias"][3] = np.nan
        (self.model / "model.safetensors").write_bytes(safetensors_of(arrays))
        result = self.convert(self.model, "--output", self.folder / "out", "--allow-nonfinite")
        self.assertIn("values that are not finite", result["output"])
        self.assertFalse((self.folder / "out" / "verify.json").exists())

    def test_says_why_there_are_no_texts(self) -> None:
        """The report gives the reason: no vocabulary, one without BERT's tokens, or one that is larger than the
        model's."""
        for content, words in (
            (None, "0 of them texts (without vocab.txt)"),
            ("<s>\n</s>\n", "vocab.txt has no [CLS]"),
            ("[CLS]\n[SEP]\n[UNK]\n" + "x\n" * 1000, "vocab.txt has 1003 tokens, the model "),
        ):
            with self.subTest(words):
                (self.model / "vocab.txt").unlink()
                if content is not None:
                    (self.model / "vocab.txt").write_text(content, encoding="utf-8")
                (self.folder / "out" / "vocab.txt").unlink(missing_ok=True)
                self.golden()
                self.assertIn(words, self.last["output"])
                (self.model / "vocab.txt").touch()

    def test_a_vocabulary_that_is_no_file_is_no_reason_to_fail(self) -> None:
        """A conversion in place copies nothing, so a vocab.txt that cannot be opened is only reported."""
        (self.model / "vocab.txt").unlink()
        (self.model / "vocab.txt").symlink_to("nowhere")
        result = self.convert(self.model, "--force")
        self.assertIn("0 of them texts (cannot open", result["output"])
        self.assertTrue((self.model / "verify.json").exists())

    def test_needs_little_memory(self) -> None:
        """The vocabulary's table has 60 MB, and the matrices 16 MB. Memory stays low because only some rows are
        read."""
        hidden, vocabulary = 1000, 15_000
        random = np.random.default_rng(1)
        shapes = {
            "embeddings.word_embeddings.weight": (vocabulary, hidden),
            "embeddings.position_embeddings.weight": (4, hidden),
            "embeddings.token_type_embeddings.weight": (2, hidden),
            "embeddings.LayerNorm.weight": (hidden,),
            "embeddings.LayerNorm.bias": (hidden,),
        }
        for part, outputs, inputs in (
            ("attention.self.query", hidden, hidden),
            ("attention.self.key", hidden, hidden),
            ("attention.self.value", hidden, hidden),
            ("attention.output.dense", hidden, hidden),
            ("intermediate.dense", 4 * hidden, hidden),
            ("output.dense", hidden, 4 * hidden),
        ):
            shapes |= {f"encoder.layer.0.{part}.weight": (outputs, inputs), f"encoder.layer.0.{part}.bias": (outputs,)}
        for norm in ("attention.output", "output"):
            shapes |= {f"encoder.layer.0.{norm}.LayerNorm.{part}": (hidden,) for part in ("weight", "bias")}
        arrays = {key: (random.standard_normal(shape) / 30).astype("<f4") for key, shape in shapes.items()}
        (self.model / "model.safetensors").write_bytes(safetensors_of(arrays))
        config = {"model_type": "bert", "hidden_size": hidden, "num_attention_heads": 10, "num_hidden_layers": 1}
        config |= {"intermediate_size": 4 * hidden, "vocab_size": vocabulary, "max_position_embeddings": 4}
        (self.model / "config.json").write_text(json.dumps(config), encoding="utf-8")
        small = self.folder / "small"
        small.mkdir()
        (small / "model.safetensors").write_bytes(safetensors_of(small_model()))
        before = self.convert(small, "--force", "--output", self.folder / "small-out")["peak_kb"]
        after = self.convert(self.model, "--output", self.folder / "out")
        self.assertIn("golden vectors of", after["output"])
        growth = (after["peak_kb"] - before) * 1024
        print(f"\npeak over the start, a table of 60 MB and matrices of 16 MB: {growth} bytes")
        self.assertLess(growth, 16 * 1000 * 1000)


if __name__ == "__main__":
    unittest.main()
