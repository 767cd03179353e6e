"""Checks that distilling a static model and comparing two forms of a model return the program's numbers."""

import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import bert_infer
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support

BUILTIN = Path(__file__).resolve().parents[3] / "models/builtin"
PAIRS = [("A man plays a guitar.", "Somebody makes music."), ("A dog runs.", "The stock market fell."),
         ("It rains.", "The weather is wet.")]


class Forms(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = bert_infer.Model(str(BUILTIN), threads=2)

    def test_distills_what_the_program_distills(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = Path(folder) / "python", Path(folder) / "program"
            made = self.model.distill(ours, dimensions=32, sif_coefficient=1e-3)
            expected = support.program_json(
                "distill", "--dimensions", "32", "--sif-coefficient", "1e-3", str(BUILTIN), str(theirs)
            )
            self.assertEqual(made, expected)
            for name in ("model.safetensors", "config.json", "vocab.txt"):
                self.assertEqual((ours / name).read_bytes(), (theirs / name).read_bytes(), name)
            self.assertEqual(bert_infer.Model(str(ours)).encode("A dog.").shape, (32,))
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "expected the name of a new directory"):
                self.model.distill(ours)
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "999 dimensions, expected 1 to 160"):
                self.model.distill(Path(folder) / "x", dimensions=999)

    def test_compares_small_precisions_with_the_stored_weights(self) -> None:
        for precision in ("int8", "bfloat16"):
            with self.subTest(precision):
                self._compare(precision)

    def _compare(self, precision: Any) -> None:
        small = bert_infer.Model(str(BUILTIN), threads=2, precision=precision)
        scored = [(a, b, float(self.model.similarity(*self.model.encode([a, b])).item())) for a, b in PAIRS]
        found = small.compare(self.model, pairs=scored)
        expected = support.program_json("verify", "--model", str(BUILTIN), "--precision", precision, "--against",
                                        str(BUILTIN))
        self.assertEqual((found["texts"], found["tokens"]), (expected["texts"], expected["tokens"]))
        self.assertAlmostEqual(found["cosines"].mean(), expected["mean_cosine"], places=12)
        self.assertEqual(found["least_similar"] + 1, expected["least_similar"])
        for name in ("loss", "distance", "largest_difference"):
            np.testing.assert_array_equal(found[name], [layer[name] for layer in expected["layers"]])
        self.assertEqual((found["pairs"], found["reference_spearman"]), (3, 1.0))

    def test_names_what_is_wrong(self) -> None:
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "reference: found str, expected a Model"):
            self.model.compare("models/builtin")
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, r"texts\[1\]: found int, expected a str"):
            self.model.compare(self.model, ["a", 1])
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "the model reads no labels"):
            self.model.compare(self.model, ["a"], labels=["dog"])
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "no text to compare the models on"):
            self.model.compare(self.model, [])


if __name__ == "__main__":
    unittest.main()
