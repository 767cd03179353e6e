"""Tests BGE-M3's heads: the folders that the converter writes for them, and refused files."""

import json
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support.converter import ConverterTest, read_arrays, safetensors_of, small_model
from support.torch_file_writer import torch_zip_of


class Heads(ConverterTest):
    """Tests a small model with both heads."""

    def setUp(self) -> None:
        """Write the model and its heads."""
        super().setUp()
        self.source = self.folder / "m3"
        self.source.mkdir()
        (self.source / "config.json").write_text("{}", encoding="utf-8")
        (self.source / "pytorch_model.bin").write_bytes(torch_zip_of(small_model()))
        self.arrays = {
            "colbert_linear": {
                "weight": np.arange(32, dtype="<f4").reshape(4, 8),
                "bias": np.arange(4, dtype="<f4"),
            },
            "sparse_linear": {"weight": np.arange(8, dtype="<f4").reshape(1, 8), "bias": np.ones(1, dtype="<f4")},
        }
        for head, arrays in self.arrays.items():
            (self.source / f"{head}.pt").write_bytes(torch_zip_of(arrays))

    def test_each_becomes_a_dense_module_in_a_folder_of_its_name(self) -> None:
        """The weights keep their bits, and the report names them."""
        target = self.folder / "out"
        result = self.convert(self.source, "--output", target)
        for head, arrays in self.arrays.items():
            self.assertIn(f"{head}.pt' -> {head}/ F32", result["output"])
            found = read_arrays(target / head / "model.safetensors")
            self.assertEqual(set(found), {"linear.weight", "linear.bias"})
            for name, array in arrays.items():
                np.testing.assert_array_equal(found["linear." + name], array)
            config = json.loads((target / head / "config.json").read_text(encoding="utf-8"))
            self.assertEqual((config["out_features"], config["in_features"]), arrays["weight"].shape)
            self.assertTrue(config["bias"])
        # The folders of an already converted directory are copied too.
        second = self.folder / "second"
        self.convert(target, "--output", second, "--dtype", "f16")
        for head in self.arrays:
            self.assertEqual(set(read_arrays(second / head / "model.safetensors")), {"linear.weight", "linear.bias"})

    def test_folders_that_exist_are_kept_without_force(self) -> None:
        """Checks that existing folders are replaced only with --force, like the weights."""
        self.convert(self.source)
        (self.source / "model.safetensors").unlink()
        (self.source / "verify.json").unlink(missing_ok=True)
        self.refuse("colbert_linear/config.json' exists; --force replaces it", self.source / "pytorch_model.bin")
        self.convert(self.source / "pytorch_model.bin", "--force")

    def test_files_that_are_no_linear_are_refused(self) -> None:
        """The error says in one line what the file has. Nothing is written."""
        for arrays, words in (
            ({"weight": np.ones((1, 8), "<f4")}, "'weight' [1, 8], expected 'bias' [out] and 'weight' [out, in]"),
            ({"weight": np.ones((1, 8), "<f4"), "bias": np.ones(2, "<f4")}, "'bias' [2], 'weight' [1, 8]"),
            ({"a": np.ones(1, "<f4"), "bias": np.ones(1, "<f4")}, "'a' [1], 'bias' [1]"),
        ):
            (self.source / "sparse_linear.pt").write_bytes(torch_zip_of(arrays))
            self.refuse(words, self.source)
            self.assertFalse((self.source / "model.safetensors").exists())
        (self.source / "sparse_linear.pt").write_bytes(safetensors_of(self.arrays["sparse_linear"]))
        self.convert(self.source)

    def test_infinite_numbers_of_a_head_are_refused(self) -> None:
        """They are refused as in the model's weights."""
        arrays = self.arrays["sparse_linear"] | {"bias": np.array([np.inf], "<f4")}
        (self.source / "sparse_linear.pt").write_bytes(torch_zip_of(arrays))
        self.refuse("1 values that are NaN or infinite", self.source)
        self.assertFalse((self.source / "sparse_linear").exists())


if __name__ == "__main__":
    unittest.main()
