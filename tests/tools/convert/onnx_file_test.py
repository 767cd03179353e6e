"""Tests ONNX files that break a rule of the format or have unsupported parts."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import onnx_writer as onnx
from support.converter import ConverterTest

NAME = "embeddings.word_embeddings.weight"
GATHER = onnx.node("Gather", [NAME, "ids"], ["x"])


def file_of(tensor: bytes) -> bytes:
    """Return a graph with this tensor."""
    return onnx.model([GATHER], [tensor])


class Files(ConverterTest):
    """Tests that each of these files gives an error of one line."""

    def test_malformed_files(self) -> None:
        good = onnx.tensor(NAME, np.ones((2, 3), np.float32))
        shape = onnx.number(1, 2) + onnx.number(1, 3)
        body = onnx.node("If", ["c"], ["y"]) + onnx.message(5, onnx.message(1, "then_branch") + onnx.message(6, b""))
        cases = {
            "empty": (b"", "0 graphs, expected one"),
            "text": (b"version 1", "is no ONNX file"),
            "two graphs": (file_of(good) * 2, "2 graphs, expected one"),
            "cut off": (file_of(good)[:-30], "goes beyond its end"),
            "too few bytes": (file_of(shape + onnx.number(2, 1) + onnx.message(9, bytes(20))), "20 bytes, expected 24"),
            "no type": (file_of(shape + onnx.message(8, NAME)), "type 0 of ONNX cannot be converted"),
            "a type of strings": (file_of(shape + onnx.number(2, 8)), "type 8 of ONNX"),
            "a negative size": (file_of(onnx.number(1, -1) + onnx.number(2, 1)), "expected at most 8 sizes"),
            "nine sizes": (file_of(onnx.number(1, 1) * 9 + onnx.number(2, 1)), "expected at most 8 sizes"),
            "numbers elsewhere": (file_of(good + onnx.number(14, 1)), "its numbers are in another file"),
            "sparse": (onnx.number(1, 8) + onnx.message(7, onnx.message(15, b"")), "sparse initializers"),
            "a graph in a node": (onnx.model([body], [good]), "a node with a graph of its own"),
            "a varint without an end": (b"\x3a" + b"\xff" * 12, "goes beyond its end"),
            "a field of an old kind": (onnx.number(1, 8) + b"\x3b\x00", "a field of kind 3"),
        }
        for case, (data, words) in cases.items():
            with self.subTest(case):
                path = self.folder / "m.onnx"
                path.write_bytes(data)
                self.refuse(words, path, "--no-verify")


if __name__ == "__main__":
    unittest.main()
