"""The converter and the program together: a converted model is verified, and a damaged one is not."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import transcripts
from support.converter import read_arrays, require_data, run_converter, safetensors_of


class Verify(unittest.TestCase):
    """Models of the test data, which have no vocabulary, with one of words by number."""

    def converted(self, name: str, *options: str, settings: dict | None = None) -> Path:
        """Convert a folder of the families, with these settings in its config.json, into an own one."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        source, result = Path(folder.name) / "source", Path(folder.name) / "result"
        source.mkdir()
        data = require_data("family", name)
        for file in data.iterdir():
            if file.suffix in (".bin", ".safetensors") or file.name in ("config.json", "model.safetensors.index.json"):
                (source / file.name).write_bytes(file.read_bytes())
        config = json.loads((data / "config.json").read_text(encoding="utf-8"))
        (source / "config.json").write_text(json.dumps(config | (settings or {})), encoding="utf-8")
        words = config["vocab_size"]
        tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "the", "dog", "##s", "it", "is", "."][:words]
        tokens += [f"word{i}" for i in range(len(tokens), words)]
        (source / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
        done = run_converter(source, "--output", result, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return result

    def verify(self, folder: Path) -> tuple[int, dict]:
        """The program's exit status and what it printed."""
        done = subprocess.run(
            [transcripts.PROGRAM, "verify", "--model", folder, "--format", "json"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertNotEqual(done.stdout, "", done.stderr)
        return done.returncode, json.loads(done.stdout)

    def test_every_bert_of_the_data_passes(self) -> None:
        """The models have all activations, sizes, number types and file formats; their errors are far below the limit.
        """
        nearest = 0.0
        for data in sorted(require_data("family").iterdir()):
            if not data.name.startswith("bert-"):
                continue
            with self.subTest(data.name):
                status, result = self.verify(self.converted(data.name))
                self.assertEqual((status, result["passed"]), (0, True))
                self.assertGreaterEqual(len(result["cases"]), 3)
                for key, limit in result["limits"].items():
                    nearest = max(nearest, max(case[key] for case in result["cases"]) / limit)
        print(f"\nthe largest error is {nearest:.2f} of its limit")

    def test_narrowed_weights_pass(self) -> None:
        """The golden vectors are those of the rounded weights."""
        for dtype in ("f16", "bf16"):
            status, result = self.verify(self.converted("bert-odd-1-bin", "--dtype", dtype))
            self.assertEqual((status, result["passed"]), (0, True))

    def test_positions_before_every_layer_pass(self) -> None:
        """Converter and program both add positions before every layer; nothing passes if the setting differs from that
        of the conversion."""
        folder = self.converted("bert-odd-1", settings={"position_embeddings_at": "every-layer"})
        status, result = self.verify(folder)
        self.assertEqual((status, result["passed"]), (0, True))
        golden = json.loads((folder / "verify.json").read_text(encoding="utf-8"))
        del golden["sha256"]
        (folder / "verify.json").write_text(json.dumps(golden), encoding="utf-8")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        (folder / "config.json").write_text(json.dumps(config | {"position_embeddings_at": "input"}), encoding="utf-8")
        status, result = self.verify(folder)
        self.assertEqual((status, result["passed"]), (1, False))
        self.assertEqual({case.get("first_layer_over_limit") for case in result["cases"]}, {2})

    def test_a_flipped_weight_fails(self) -> None:
        """The sign of one number in each kind of matrix is changed; the report names the layer."""
        folder = self.converted("bert-odd-1-bin")
        arrays = read_arrays(folder / "model.safetensors")
        golden = json.loads((folder / "verify.json").read_text(encoding="utf-8"))
        del golden["sha256"]  # by which verify would reject the file before it computes
        (folder / "verify.json").write_text(json.dumps(golden), encoding="utf-8")
        for name, layer in (
            ("embeddings.position_embeddings.weight", 0),
            ("embeddings.LayerNorm.bias", 0),
            ("encoder.layer.0.attention.self.query.weight", 1),
            ("encoder.layer.1.attention.self.value.bias", 2),
            ("encoder.layer.2.output.dense.weight", 3),
            ("pooler.dense.weight", None),
        ):
            with self.subTest(name):
                damaged = {key: value.copy() for key, value in arrays.items()}
                damaged[name].reshape(-1)[0] *= -1
                (folder / "model.safetensors").write_bytes(safetensors_of(damaged))
                status, result = self.verify(folder)
                self.assertEqual((status, result["passed"]), (1, False))
                first = min(case.get("first_layer_over_limit", 99) for case in result["cases"])
                self.assertEqual(first, 99 if layer is None else layer)

    def test_a_folder_that_modules_json_names(self) -> None:
        """The golden vectors lie beside the weights, not beside modules.json."""
        folder = self.converted("bert-odd-1-bin")
        whole = folder.parent / "whole"
        whole.mkdir()
        folder.rename(whole / "0_BERT")
        module = {"idx": 0, "type": "sentence_transformers.models.Transformer", "path": "0_BERT"}
        (whole / "modules.json").write_text(json.dumps([module]), encoding="utf-8")
        status, result = self.verify(whole)
        self.assertEqual((status, result["passed"]), (0, True))

    def test_another_vocabulary_fails(self) -> None:
        """Two words of the vocabulary are exchanged: the encoder passes, the tokenizer does not."""
        folder = self.converted("bert-odd-1-bin")
        words = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        words[5], words[6] = words[6], words[5]
        (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
        status, result = self.verify(folder)
        self.assertEqual((status, result["passed"]), (1, False))
        self.assertFalse(result["cases"][0]["same_ids"])
        self.assertTrue(result["cases"][-1]["passed"])


if __name__ == "__main__":
    unittest.main()
