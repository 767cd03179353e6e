"""Tests that TensorFlow checkpoints give the weights of the torch forms, bit for bit, and that broken ones are refused.
"""

import json
import struct
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import tensorflow_bundle_writer as bundle
from support.converter import ConverterTest, read_arrays, read_plain, require_data
from support.tensorflow_bundle_writer import entry_message, field, header_message, table


def google_variables(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return tensors with Google's names and layout, and the variables that training adds."""
    result = {"global_step": np.array(7, "<i8")}
    for key, array in arrays.items():
        name = key.replace("encoder.layer.", "encoder.layer_").replace(".", "/")
        if "_embeddings." in key:
            name = name.removesuffix("/weight")
        elif "LayerNorm" in key:
            name = (
                name.removesuffix("weight") + "gamma" if key.endswith("weight") else name.removesuffix("bias") + "beta"
            )
        elif key == "cls.predictions.bias":
            name = "cls/predictions/output_bias"
        elif key.startswith("cls.seq_relationship."):
            name = "cls/seq_relationship/output_" + ("weights" if key.endswith("weight") else "bias")
        elif key.endswith(".weight"):
            name, array = name.removesuffix("weight") + "kernel", np.ascontiguousarray(array.T)
        result[name] = array
        result[name + "/adam_m"] = array * 0
        result[name + "/adam_v"] = array * 0
    return result


class GoogleCheckpoint(ConverterTest):
    """Tests whole model directories like those that Google released."""

    def write(self, arrays: dict[str, np.ndarray], config: dict, **options: object) -> Path:
        """Write a checkpoint with bert_config.json and vocab.txt. Return its directory."""
        directory = self.folder / "uncased_L-2"
        directory.mkdir()
        bundle.write_checkpoint(directory / "bert_model.ckpt", google_variables(arrays), **options)
        (directory / "bert_model.ckpt.meta").write_bytes(b"a graph, which is not read")
        (directory / "bert_config.json").write_text(json.dumps(config), encoding="utf-8")
        (directory / "vocab.txt").write_text("[PAD]\n[UNK]\n", encoding="utf-8")
        return directory

    def test_equals_the_torch_forms_of_a_real_model_bit_for_bit(self) -> None:
        """bert-odd-1 in one TensorFlow data file or in three gives the same bits as its torch form."""
        model = require_data("family", "bert-odd-1", "model.safetensors")
        arrays = {"bert." + key: array for key, array in read_arrays(model).items()}
        expected = {"bert." + key: value for key, value in read_plain(model).items()}
        for shards in (1, 3):
            with self.subTest(shards=shards):
                self.setUp()
                directory = self.write(arrays, {"hidden_act": "gelu", "vocab_size": 131}, shards=shards)
                self.convert(directory)
                self.assert_same_tensors(expected, read_plain(directory / "model.safetensors"))

    def test_makes_a_configuration_that_transformers_loads(self) -> None:
        """The class follows from the heads. "gelu" becomes the form that --gelu selects, and a message says so.
        Everything else is kept."""
        model = read_arrays(require_data("family", "bert-pretraining", "model.safetensors"))
        directory = self.write(model, {"hidden_act": "gelu", "vocab_size": 103, "directionality": "bidi"})
        result = self.convert(directory, "--output", self.folder / "out")
        config = json.loads((self.folder / "out" / "config.json").read_text(encoding="utf-8"))
        self.assertEqual((config["model_type"], config["architectures"]), ("bert", ["BertForPreTraining"]))
        self.assertEqual(
            (config["hidden_act"], config["layer_norm_eps"], config["directionality"]), ("gelu", 1e-12, "bidi")
        )
        self.assertIn("becomes the exact erf form", result["errors"])
        self.assertIn("programs will lower-case text", result["errors"])
        self.assertEqual((self.folder / "out" / "vocab.txt").read_bytes(), b"[PAD]\n[UNK]\n")
        self.assertIn("global_step': belongs to the optimizer", result["output"])
        result = self.convert(directory, "--output", self.folder / "tanh", "--gelu", "tanh")
        self.assertEqual(
            json.loads((self.folder / "tanh" / "config.json").read_text(encoding="utf-8"))["hidden_act"], "gelu_new"
        )
        self.assertIn("becomes the tanh form", result["errors"])

    def test_names_the_heads_of_fine_tuned_models(self) -> None:
        """The heads are those of run_classifier.py with three labels, and of run_squad.py."""
        for variables, names, architecture in (
            (
                {"output_weights": (3, 4), "output_bias": (3,)},
                {"classifier.weight", "classifier.bias"},
                "BertForSequenceClassification",
            ),
            (
                {"cls/squad/output_weights": (2, 4), "cls/squad/output_bias": (2,)},
                {"qa_outputs.weight", "qa_outputs.bias"},
                "BertForQuestionAnswering",
            ),
        ):
            self.setUp()
            bundle.write_checkpoint(
                self.folder / "model.ckpt-9", {key: np.ones(shape, "<f4") for key, shape in variables.items()}
            )
            (self.folder / "bert_config.json").write_text("{}", encoding="utf-8")
            self.convert(self.folder)
            self.assertEqual(set(read_arrays(self.folder / "model.safetensors")), names)
            config = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
            self.assertEqual(config["architectures"], [architecture])
            self.assertEqual(len(config.get("id2label", {})), 3 if "Sequence" in architecture else 0)

    def test_takes_config_json_where_there_is_no_bert_config_json(self) -> None:
        """config.json is copied byte for byte. --gelu would have no effect, so it is refused."""
        bundle.write_checkpoint(self.folder / "m.ckpt", {"output_bias": np.ones(2, "<f4")})
        (self.folder / "config.json").write_text('{"hidden_act": "gelu"}', encoding="utf-8")
        self.refuse("config.json says which gelu it is", self.folder, "--gelu", "tanh", code=2)
        self.convert(self.folder, "--output", self.folder / "out")
        self.assertEqual((self.folder / "out" / "config.json").read_bytes(), b'{"hidden_act": "gelu"}')

    def test_reads_f16_and_bf16_variables(self) -> None:
        """The bits do not change."""
        half = np.array([1.5, -2.0], "<f2")
        brain = np.array([0x3F80, 0xC000], "<u2")
        bundle.write_checkpoint(
            self.folder / "m.ckpt", {"output_bias": half, "cls/squad/output_bias": brain}, bfloat16=True
        )
        self.convert(self.folder / "m.ckpt")
        found = read_plain(self.folder / "model.safetensors")
        self.assertEqual(found["classifier.bias"], ("F16", (2,), half.tobytes()))
        self.assertEqual(found["qa_outputs.bias"], ("BF16", (2,), brain.tobytes()))


class BrokenCheckpoint(ConverterTest):
    """Tests indexes and data files that are invalid."""

    def check(self, words: str, pairs: list[tuple[bytes, bytes]] | bytes, data: bytes = bytes(16)) -> None:
        """Write an index, given as pairs or bytes, and its data. Require a refusal."""
        (self.folder / "m.ckpt.index").write_bytes(pairs if isinstance(pairs, bytes) else table(pairs))
        (self.folder / "m.ckpt.data-00000-of-00001").write_bytes(data)
        self.refuse(words, self.folder)
        self.assertFalse((self.folder / "model.safetensors").exists())

    def test_refuses_variables_that_lie(self) -> None:
        """One field at a time is wrong."""
        header = (b"", header_message())
        four = np.zeros(4, "<f4")

        def variable(message: bytes, key: bytes = b"output_bias") -> list[tuple[bytes, bytes]]:
            return [header, (key, message)]

        good = entry_message(four, 0)
        shape = field(2, field(2, field(1, 4)))
        for case, words, pairs in (
            ("type", "TensorFlow type 7 cannot be converted", variable(entry_message(four, 0, dtype=7))),
            ("shard", "lies in shard 1 of 1", variable(entry_message(four, 0, shard=1))),
            ("offset", "file is truncated at byte 16, expected 20", variable(entry_message(four, 4))),
            ("size", "12 bytes, F32 [4] has 16", variable(field(1, 1) + shape + field(5, 12))),
            ("size of 2^64", "value of the wrong kind", variable(field(1, 1) + shape + field(5, 2**64 - 1))),
            ("field twice", "duplicate field 5", variable(good + field(5, 16))),
            ("slices", "is stored in slices", variable(good + field(7, b""))),
            (
                "negative dimension",
                "wrong kind",
                variable(field(1, 1) + field(2, field(2, field(1, 2**64 - 1))) + field(5, 16)),
            ),
            (
                "dimension twice",
                "a dimension has two sizes",
                variable(field(1, 1) + field(2, field(2, field(1, 4) * 2))),
            ),
            ("unknown rank", "has no known rank", variable(field(1, 1) + field(2, field(3, 1)))),
            ("nine dimensions", "9 dimensions", variable(field(1, 1) + field(2, field(2, field(1, 1)) * 9))),
            ("shape a number", "wrong kind", variable(field(1, 1) + field(2, 4))),
            ("number cut", "is cut short", variable(b"\x08\xff")),
            ("number of 11 bytes", "longer than 64 bits", variable(b"\x08" + b"\xff" * 10 + b"\1")),
            ("message cut", "protocol buffer is malformed", variable(b"\x12\x7f")),
            ("group", "protocol buffer is malformed", variable(b"\x0b")),
            ("name", "is not UTF-8", variable(good, b"\xff")),
            ("unknown name", "'bert/other' in", variable(good, b"bert/other")),
            (
                "ALBERT name",
                "is none of Google's BERT",
                variable(good, b"bert/encoder/embedding_hidden_mapping_in/bias"),
            ),
            ("kernel of one dimension", "expected two dimensions", variable(good, b"bert/pooler/dense/kernel")),
            ("object graph", "TensorFlow 2 object checkpoint", variable(good, b"_CHECKPOINTABLE_OBJECT_GRAPH")),
            ("object variable", "TensorFlow 2 object checkpoint", variable(good, b"w/.ATTRIBUTES/VARIABLE_VALUE")),
            ("integer", "type I32, expected one of", variable(entry_message(np.zeros(4, "<i4"), 0))),
            ("big-endian", "big-endian", [(b"", header_message(endianness=1))]),
            ("no shards", "0 shards", [(b"", header_message(shards=0))]),
            ("too many shards", "1000000 shards", [(b"", header_message(shards=10**6))]),
            ("no header", "lies in shard 0 of 0", [(b"output_bias", good)]),
            ("empty table", "has no header", []),
            ("only training", "holds no weights", variable(good, b"global_step")),
            ("out of order", "is a duplicate or out of order", [header, (b"b", good), (b"a", good)]),
            ("twice", "is a duplicate or out of order", [header, (b"output_bias", good), (b"output_bias", good)]),
        ):
            with self.subTest(case):
                self.check(words, pairs)

    def test_refuses_broken_tables(self) -> None:
        """Checksums, compression, magic number, handles or entries are wrong."""
        pairs = [(b"", header_message()), (b"output_bias", entry_message(np.zeros(4, "<f4"), 0))]
        good = table(pairs)
        footer = lambda handles: handles.ljust(40, b"\0") + struct.pack("<Q", bundle.TABLE_MAGIC)  # noqa: E731
        for case, words, content in (
            ("checksum", "checksum", table(pairs, break_checksum=True)),
            ("snappy", "is compressed (type 1)", table(pairs, compression=1)),
            ("magic", "does not end as the index", table(pairs, magic=1)),
            ("cut", "does not end as the index", good[:-1]),
            ("footer alone", "is truncated", footer(b"\0\0\xff\xff\x7f\x10")),
            ("handle of 2^63", "is truncated", footer(b"\0\0" + b"\xff" * 8 + b"\x7f\x10")),
            ("handle cut", "longer than 64 bits", footer(b"\xff" * 40)),
            ("17 MB", "at most 16777216 are read", bytes(17_000_000) + good[-48:]),
        ):
            with self.subTest(case):
                self.check(words, content)

    def test_refuses_wrong_data(self) -> None:
        """The data has a changed byte or is too short, or the data file is missing or a FIFO, which would block."""
        pairs = [(b"", header_message()), (b"output_bias", entry_message(np.zeros(4, "<f4"), 0))]
        self.check("checksum", pairs, bytes(15) + b"\1")
        self.check("file is truncated at byte 15, expected 16", pairs, bytes(15))
        (self.folder / "m.ckpt.data-00000-of-00001").unlink()
        self.refuse("m.ckpt.data-00000-of-00001': No such file", self.folder / "m.ckpt")

    def test_every_flipped_byte_of_an_index_is_refused(self) -> None:
        """A checksum or a rule finds a change of any byte, except in the unused part of the footer."""
        pairs = [(b"", header_message()), (b"output_bias", entry_message(np.arange(4, dtype="<f4"), 0))]
        good = table(pairs)
        (self.folder / "m.ckpt.data-00000-of-00001").write_bytes(np.arange(4, dtype="<f4").tobytes())
        for position in range(len(good)):
            with self.subTest(position):
                (self.folder / "m.ckpt.index").write_bytes(
                    good[:position] + bytes([good[position] ^ 0xFF]) + good[position + 1 :]
                )
                result = self.harness.run(self.folder, "--force")
                if result["code"]:
                    self.assertEqual(result["errors"].count("\n"), 1)
                    self.assertNotIn("internal fault", result["errors"])
                else:
                    # The converter does not use the footer's padding and the metadata block's handle.
                    self.assertGreaterEqual(position, len(good) - 48)
                    self.assertEqual(
                        read_arrays(self.folder / "model.safetensors")["classifier.bias"].tolist(), [0, 1, 2, 3]
                    )


if __name__ == "__main__":
    unittest.main()
