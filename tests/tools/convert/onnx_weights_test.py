"""Tests ONNX exports: the names and layouts of weights, 8-bit weights and their scales, and refused graphs."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import onnx_writer as onnx
from support.converter import ConverterTest, read_arrays

WORDS = "embeddings.word_embeddings.weight"
QUERY = "encoder.layer.0.attention.self.query"
KEY = "encoder.layer.0.attention.self.key"


def numbers(*shape: int, seed: int = 1) -> np.ndarray:
    """Return random floats of this shape."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def rows() -> list[bytes]:
    """Return the node of the word embeddings, which are named as in a checkpoint."""
    return [onnx.node("Gather", [WORDS, "input_ids"], ["x"])]


class Exports(ConverterTest):
    """Tests graphs with a few nodes."""

    def write(self, nodes: list[bytes], tensors: list[bytes], name: str = "model.onnx") -> Path:
        """Write a directory with the graph."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(onnx.model(nodes, tensors))
        return self.folder

    def converted(self, nodes: list[bytes], tensors: list[bytes]) -> dict[str, np.ndarray]:
        """Convert, and return the tensors of model.safetensors."""
        folder = self.write(nodes, tensors)
        self.last = self.convert(folder, "--force", "--no-verify")
        return read_arrays(folder / "model.safetensors")

    def test_a_matrix_without_a_name_has_that_of_the_bias_of_its_product(self) -> None:
        words, query, bias = numbers(5, 4), numbers(4, 3, seed=2), numbers(3, seed=3)
        nodes = [*rows(), onnx.node("MatMul", ["x", "onnx::MatMul_12"], ["y"]),
                 onnx.node("Add", [QUERY + ".bias", "y"], ["z"]),
                 onnx.node("Mul", ["z", "scale"], ["last_hidden_state"])]
        tensors = [onnx.tensor(WORDS, words, as_list=True), onnx.tensor("onnx::MatMul_12", query),
                   onnx.tensor(QUERY + ".bias", bias), onnx.tensor("scale", numbers()),
                   onnx.tensor("axes", np.arange(9))]
        found = self.converted(nodes, tensors)
        self.assertEqual(set(found), {WORDS, QUERY + ".weight", QUERY + ".bias"})
        np.testing.assert_array_equal(found[WORDS], words)
        np.testing.assert_array_equal(found[QUERY + ".weight"], query.T)
        np.testing.assert_array_equal(found[QUERY + ".bias"], bias)
        self.assertIn("1 matrices have no name in", self.last["errors"])

    def test_without_biases_a_matrix_has_the_name_of_its_product(self) -> None:
        """The graph is like an export of ModernBERT, whose norms' zeros and rotary frequencies are no parameters."""
        words, up, norm = numbers(5, 4), numbers(4, 3, seed=2), numbers(4, seed=3)
        down, scale = np.arange(6, dtype=np.int8).reshape(3, 2), np.array(0.5, np.float32)
        nodes = [*rows(), onnx.constant("/norm/Constant_output_0", np.zeros(4, np.float32)),
                 onnx.node("LayerNormalization", ["x", "norm.weight", "/norm/Constant_output_0"], ["n"]),
                 onnx.constant("/rotary_emb_1/Constant_output_0", numbers(6)),
                 onnx.node("Unsqueeze", ["/rotary_emb_1/Constant_output_0"], ["angles"]),
                 onnx.node("MatMul", ["n", "m_1"], ["u"], name="/layers.0/mlp/Wi/MatMul"),
                 onnx.node("DynamicQuantizeLinear", ["u"], ["uq", "us", "uz"]),
                 onnx.node("MatMulInteger", ["uq", "m_2", "uz"], ["y"], name="/layers.0/mlp/Wo/MatMul_quant"),
                 onnx.node("Mul", ["us", "m_2_scale"], ["both"]), onnx.node("Cast", ["y"], ["f"], to=1),
                 onnx.node("Mul", ["f", "both"], ["last_hidden_state"])]
        tensors = [onnx.tensor(WORDS, words), onnx.tensor("norm.weight", norm), onnx.tensor("m_1", up),
                   onnx.tensor("m_2", down), onnx.tensor("m_2_scale", scale)]
        found = self.converted(nodes, tensors)
        self.assertEqual(set(found), {WORDS, "norm.weight", "layers.0.mlp.Wi.weight", "layers.0.mlp.Wo.weight"})
        np.testing.assert_array_equal(found["layers.0.mlp.Wi.weight"], up.T)
        np.testing.assert_array_equal(found["layers.0.mlp.Wo.weight"], down.T * scale)
        self.assertIn("2 matrices have neither a name nor a bias in", self.last["errors"])
        nodes[1] = onnx.constant("/norm/Constant_output_0", np.eye(1, 4, dtype=np.float32)[0])
        (self.folder / "model.safetensors").unlink()
        refused = self.harness.run(self.write(nodes, tensors), "--no-verify")
        self.assertRegex(refused["errors"], "'/norm/Constant_output_0' in .*F32 .4. is no parameter that is known")

    def test_a_matrix_with_a_name_lies_as_its_product_reads_it(self) -> None:
        weights = {name: numbers(4, 4, seed=seed) for seed, name in enumerate(("a.weight", "b.weight", "c.weight"))}
        nodes = [*rows(), onnx.node("MatMul", ["x", "a.weight"], ["y"]),
                 onnx.node("Gemm", ["y", "b.weight"], ["z"], transB=1),
                 onnx.node("Transpose", ["c.weight"], ["t"]), onnx.node("MatMul", ["z", "t"], ["last_hidden_state"])]
        found = self.converted(nodes, [onnx.tensor(WORDS, numbers(5, 4)), *map(onnx.tensor, weights, weights.values())])
        np.testing.assert_array_equal(found["a.weight"], weights["a.weight"].T)
        np.testing.assert_array_equal(found["b.weight"], weights["b.weight"])
        np.testing.assert_array_equal(found["c.weight"], weights["c.weight"])

    def test_float16_constants_and_copies_of_equal_parameters(self) -> None:
        norm = numbers(4).astype(np.float16)
        nodes = [*rows(), onnx.node("Identity", ["embeddings.LayerNorm.weight"], ["encoder.LayerNorm.weight"]),
                 onnx.constant("pooler.dense.bias", numbers(7)),
                 onnx.node("LayerNormalization", ["x", "embeddings.LayerNorm.weight"], ["last_hidden_state"])]
        found = self.converted(nodes, [onnx.tensor(WORDS, numbers(5, 4).astype(np.float16)),
                                       onnx.tensor("embeddings.LayerNorm.weight", norm)])
        np.testing.assert_array_equal(found["encoder.LayerNorm.weight"], norm)
        np.testing.assert_array_equal(found["embeddings.LayerNorm.weight"], norm)
        np.testing.assert_array_equal(found["pooler.dense.bias"], numbers(7))

    def test_a_tied_decoder_is_told_by_the_bias_above_it_and_left_out(self) -> None:
        words = numbers(5, 4)
        nodes = [*rows(), onnx.node("MatMul", ["x", "m"], ["y"]),
                 onnx.node("Add", ["y", "cls.predictions.bias"], ["z"])]
        tensors = [onnx.tensor(WORDS, words), onnx.tensor("m", np.ascontiguousarray(words.T)),
                   onnx.tensor("cls.predictions.bias", numbers(5))]
        self.assertEqual(set(self.converted(nodes, tensors)), {WORDS, "cls.predictions.bias"})

    def test_8_bit_numbers_become_floats_by_their_scales(self) -> None:
        words = np.array([[0, 130], [255, 128]], dtype=np.uint8)
        key = np.array([[1, -2, 3], [-128, 127, 0]], dtype=np.int8)
        scale = np.array([0.5, 0.25, 2], dtype=np.float32)
        nodes = [onnx.node("Gather", [WORDS + "_quantized", "input_ids"], ["rows"]),
                 onnx.node("DequantizeLinear", ["rows", WORDS + "_scale", WORDS + "_zero_point"], ["x"]),
                 onnx.node("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"]),
                 onnx.node("MatMulInteger", ["xq", "m_9_quantized", "xz", "m_9_zero_point"], ["y"]),
                 onnx.node("Mul", ["xs", "m_9_scale"], ["both"]), onnx.node("Cast", ["y"], ["f"], to=1),
                 onnx.node("Mul", ["f", "both"], ["p"]), onnx.node("Add", [KEY + ".bias", "p"], ["last_hidden_state"])]
        tensors = [onnx.tensor(WORDS + "_quantized", words), onnx.tensor(WORDS + "_scale", np.array(0.1, np.float32)),
                   onnx.listed(WORDS + "_zero_point", np.array(128, np.uint8)),
                   onnx.tensor("m_9_quantized", key), onnx.tensor("m_9_scale", scale),
                   onnx.tensor("m_9_zero_point", np.zeros(3, np.int8)), onnx.tensor(KEY + ".bias", numbers(3))]
        found = self.converted(nodes, tensors)
        self.assertEqual(set(found), {WORDS, KEY + ".weight", KEY + ".bias"})
        np.testing.assert_array_equal(found[WORDS], (words.astype(np.float32) - 128) * np.float32(0.1))
        np.testing.assert_array_equal(found[KEY + ".weight"], (key * scale).T)
        self.assertIn("2 tensors are 8-bit numbers", self.last["errors"])

    def test_without_a_bias_the_exporter_notes_the_module(self) -> None:
        """The graph is like those of torch's exporter without the tracer. Its rotary frequencies are a named buffer."""
        up = numbers(4, 3, seed=2)
        nodes = [*rows(), onnx.node("MatMul", ["x", "val_1"], ["y"], name="node_linear", module="layers.0.mlp.Wi"),
                 onnx.node("Mul", ["y", "rotary_emb.full_attention_inv_freq"], ["last_hidden_state"])]
        found = self.converted(nodes, [onnx.tensor(WORDS, numbers(5, 4)), onnx.tensor("val_1", up),
                                       onnx.tensor("rotary_emb.full_attention_inv_freq", numbers(3))])
        self.assertEqual(set(found), {WORDS, "layers.0.mlp.Wi.weight"})
        np.testing.assert_array_equal(found["layers.0.mlp.Wi.weight"], up.T)

    def test_a_layer_that_is_used_twice_is_there_once(self) -> None:
        """The graph is like ALBERT or DeBERTa's queries: the tracer names the second use of a weight differently, and
        onnxruntime quantises one of the two."""
        def product(output: str, weight: str, use: str) -> list[bytes]:
            return [onnx.node("MatMul", ["x", weight], [output], name=f"/layer/{use}/MatMul")]

        numbers_of_8_bits = np.array([[1, -2, 3], [-128, 127, 0]], dtype=np.int8)
        floats = numbers_of_8_bits * np.float32(0.5)
        words = onnx.tensor(WORDS, numbers(5, 2))
        nodes = [*rows(), *product("y", "m_1", "query"), *product("last_hidden_state", "m_2", "query_1")]
        found = self.converted(nodes, [words, onnx.tensor("m_1", floats), onnx.tensor("m_2", floats)])
        self.assertEqual(set(found), {WORDS, "layer.query.weight"})
        nodes = [*rows(), onnx.node("DequantizeLinear", ["m_q", "m_scale"], ["m"]), *product("y", "m", "query"),
                 *product("last_hidden_state", "m_2", "query")]
        tensors = [words, onnx.tensor("m_q", numbers_of_8_bits), onnx.tensor("m_scale", np.array(0.5, np.float32))]
        found = self.converted(nodes, [*tensors, onnx.tensor("m_2", floats + np.float32(0.125))])
        np.testing.assert_array_equal(found["layer.query.weight"], (floats + np.float32(0.125)).T)
        (self.folder / "model.safetensors").unlink()
        refused = self.harness.run(self.write(nodes, [*tensors, onnx.tensor("m_2", floats + 2)]), "--no-verify")
        self.assertIn("'layer.query.weight' is there twice, with other numbers", refused["errors"])

    def test_a_graph_that_is_not_accounted_for_is_refused(self) -> None:
        words = onnx.tensor(WORDS, numbers(5, 4))
        product = [*rows(), onnx.node("MatMul", ["x", "m"], ["y"])]
        bias = onnx.tensor(QUERY + ".bias", numbers(2))
        added = [*product, onnx.node("Add", ["y", QUERY + ".bias"], ["z"])]
        for nodes, tensors, message in (
            (product, [words, onnx.tensor("m", numbers(4, 4))], "'m' in .*F32 .4, 4. is no parameter that is known"),
            (rows(), [words, onnx.tensor("table", numbers(9))], "'table' in .* is no parameter"),
            (added, [words, onnx.tensor("m", numbers(4, 3)), bias], r"shape \[3, 4\] with a bias of \[2\]"),
            (added, [words, onnx.tensor("m", np.zeros((4, 2), np.int8)), bias], "8-bit numbers without a scale"),
            ([onnx.node("Attention", ["x", WORDS], ["y"], domain="com.microsoft")], [words], "'com.microsoft.Att"),
            ([*added, onnx.node("MatMul", ["x", "m2"], ["y2"]), onnx.node("Add", ["y2", QUERY + ".bias"], ["z2"])],
             [words, onnx.tensor("m", numbers(4, 2)), onnx.tensor("m2", numbers(4, 2, seed=9)), bias],
             "is there twice, with other numbers"),
            (rows(), [onnx.tensor("axes", np.arange(3))], "no parameter of an encoder"),
            (rows(), [words, words], "stands there twice"),
        ):
            with self.subTest(message):
                result = self.harness.run(self.write(nodes, tensors), "--no-verify")
                self.assertEqual(result["code"], 1)
                self.assertRegex(result["errors"], message)

    def test_the_folder_onnx_has_its_files_in_the_directory_above(self) -> None:
        (self.folder / "config.json").write_text("{}")
        folder = self.write(rows(), [onnx.tensor(WORDS, numbers(5, 4))], "onnx/model.onnx")
        self.convert(folder, "--no-verify")
        self.assertEqual(set(read_arrays(folder / "model.safetensors")), {WORDS})
        (folder / "model.safetensors").unlink()
        self.write(rows(), [onnx.tensor(WORDS, numbers(5, 4))], "onnx/model_int8.onnx")
        self.refuse("several checkpoints", folder, "--force")

    def test_a_directory_with_an_archive_alone_says_so(self) -> None:
        (self.folder / "onnx.tar.gz").write_bytes(b"x")
        self.refuse("it holds an archive, 'onnx.tar.gz': unpack it first", self.folder)


if __name__ == "__main__":
    unittest.main()
