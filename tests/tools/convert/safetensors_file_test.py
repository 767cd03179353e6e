"""Tests safetensors files that break a rule of the format, and the layout of written files."""

import json
import struct
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support.converter import (
    ConverterTest,
    read_arrays,
    require_data,
    safetensors_bytes,
    safetensors_of,
    small_model,
)


def entry(**changes: object) -> dict:
    """Return the entry of a tensor of four F32 at the start. changes: keys to replace or add."""
    return {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]} | changes


def one(text: str, data: bytes = bytes(16)) -> bytes:
    """Return a file whose only tensor has this JSON text as its entry."""
    return safetensors_bytes('{"w":' + text + "}", data)


def files() -> dict[str, tuple[bytes, str]]:
    """Return a map from case to (file, words of the error)."""
    good = json.dumps(entry())
    data = bytes(16)
    return {
        "empty": (b"", "0 bytes, a safetensors file has at least 8"),
        "seven bytes": (bytes(7), "at least 8"),
        "header of no bytes": (bytes(8), "is not JSON"),
        "header beyond the file": (struct.pack("<Q", 100) + b"{}", "expected a header to byte 108"),
        "header of 2^63": (struct.pack("<Q", 2**63) + b"{}", "at most 8388608 are read"),
        "header of 9 MB": (struct.pack("<Q", 9_000_000) + b" " * 9_000_000, "at most 8388608 are read"),
        "not UTF-8": (safetensors_bytes(b'{"\xff":1}', b""), "is not UTF-8 at byte 2"),
        "UTF-16": (safetensors_bytes('{"w":1}'.encode("utf-16"), b""), "is not UTF-8"),
        "byte order mark": (safetensors_bytes(b"\xef\xbb\xbf{}", b""), "is not JSON"),
        "a list": (safetensors_bytes("[]", b""), "is not a JSON object"),
        "not closed": (safetensors_bytes('{"w":', b""), "is not JSON"),
        "text after the object": (safetensors_bytes("{} x", b""), "is not JSON"),
        "NUL after the object": (safetensors_bytes(b"{}\0", b""), "is not JSON"),
        "100,000 lists deep": (safetensors_bytes('{"w":' + "[" * 100_000, b""), "nested too deeply"),
        "name twice": (safetensors_bytes(f'{{"w":{good},"w":{good}}}', data), "duplicate key 'w'"),
        "name twice, once escaped": (
            safetensors_bytes(f'{{"w":{good},"\\u0077":{good}}}', data),
            "duplicate key 'w'",
        ),
        "dtype twice": (
            one('{"dtype":"F32","dtype":"F32","shape":[4],"data_offsets":[0,16]}'),
            "duplicate key 'dtype'",
        ),
        "half a surrogate pair": (safetensors_bytes(f'{{"\\ud800":{good}}}', data), "half a surrogate pair"),
        "unknown key": (one(json.dumps(entry(strides=[1]))), "exactly dtype, shape and data_offsets"),
        "dtype missing": (one('{"shape":[4],"data_offsets":[0,16]}'), "exactly dtype"),
        "entry a number": (one("1"), "exactly dtype"),
        "dtype unknown": (one(json.dumps(entry(dtype="F33"))), "type 'F33' is unknown"),
        "dtype a number": (one(json.dumps(entry(dtype=1))), "type '1' is unknown"),
        "dtype F8": (one(json.dumps(entry(dtype="F8_E4M3", shape=[16]))), "type 'F8_E4M3' cannot be converted"),
        "dtype F4": (one(json.dumps(entry(dtype="F4", shape=[32]))), "type 'F4' cannot be converted"),
        "shape a number": (one(json.dumps(entry(shape=4))), "is not a list of at most 8 sizes"),
        "shape negative": (one(json.dumps(entry(shape=[-4]))), "is not a list"),
        "shape a float": (one('{"dtype":"F32","shape":[4.0],"data_offsets":[0,16]}'), "is not a list"),
        "shape with a bool": (one('{"dtype":"F32","shape":[true],"data_offsets":[0,4]}', bytes(4)), "is not a list"),
        "shape of 2^63": (one(json.dumps(entry(shape=[2**63]))), "is not a list"),
        "shape of a thousand digits": (
            one('{"dtype":"F32","shape":[' + "9" * 1000 + '],"data_offsets":[0,16]}'),
            "is too large",
        ),
        "shape NaN": (one('{"dtype":"F32","shape":[NaN],"data_offsets":[0,16]}'), "is not a list"),
        "shape whose product wraps to 4": (
            one(json.dumps(entry(shape=[2**32, 2**32, 4]))),
            "F32 [4294967296, 4294967296, 4] has",
        ),
        "nine dimensions": (one(json.dumps(entry(shape=[1] * 8 + [4]))), "at most 8 sizes"),
        "offsets one number": (one(json.dumps(entry(data_offsets=[0]))), "are not two integers"),
        "offsets reversed": (one(json.dumps(entry(data_offsets=[16, 0]))), "are -16 bytes"),
        "offsets too short": (one(json.dumps(entry(data_offsets=[0, 12]))), "are 12 bytes, F32 [4] has 16"),
        "offsets beyond the file": (
            one(json.dumps(entry(shape=[5], data_offsets=[0, 20]))),
            "file is truncated at byte",
        ),
        "offsets near 2^63": (one(json.dumps(entry(data_offsets=[2**63 - 17, 2**63 - 1]))), "file is truncated"),
        "first tensor not at 0": (one(json.dumps(entry(shape=[3], data_offsets=[4, 16]))), "begins at byte"),
        "hole": (
            safetensors_bytes(
                {"a": entry(shape=[1], data_offsets=[0, 4]), "b": entry(shape=[1], data_offsets=[8, 12])}, bytes(12)
            ),
            "begins at byte",
        ),
        "overlap": (safetensors_bytes({"a": entry(), "b": entry()}, data), "begins at byte"),
        "trailing byte": (one(good, bytes(17)), "the data ends at byte"),
        "byte missing": (one(good, bytes(15)), "file is truncated"),
        "metadata a list": (safetensors_bytes({"__metadata__": [], "w": entry()}, data), "'__metadata__' is not a map"),
        "metadata with a number": (
            safetensors_bytes({"__metadata__": {"a": 1}, "w": entry()}, data),
            "'__metadata__' is not a map",
        ),
        "name of 2,000 bytes": (safetensors_bytes({"w" * 2000: entry()}, data), "name longer than 1024 bytes"),
        "no tensors": (safetensors_bytes("{}", b""), "holds no weights"),
        "integers": (one(json.dumps(entry(dtype="I32"))), "type I32, expected one of"),
        "Git LFS pointer": (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
            "is a Git LFS pointer",
        ),
    }


class SafetensorsFile(ConverterTest):
    """Runs the converter on one file."""

    def test_refuses_what_breaks_a_rule(self) -> None:
        """Each file breaks one rule."""
        for case, (content, words) in files().items():
            with self.subTest(case):
                path = self.folder / "weights.safetensors"
                path.write_bytes(content)
                self.refuse(words, path)
                self.assertEqual([item.name for item in self.folder.iterdir()], [path.name])

    def test_reads_padding_before_and_after_the_header(self) -> None:
        """Writers align data by JSON white space around the header."""
        content = safetensors_bytes(" \n" + json.dumps({"w": entry()}) + "  \n", bytes(16))
        (self.folder / "weights.safetensors").write_bytes(content)
        self.convert(self.folder / "weights.safetensors")

    def test_refuses_real_files_cut_short(self) -> None:
        """The files are two halves of a published model."""
        for path in sorted(require_data("checkpoint", "negative").glob("*.safetensors")):
            self.refuse("is truncated at byte", path, "--output", self.folder / "out")
            self.assertFalse((self.folder / "out").exists())

    def test_writes_aligned_data_without_padding_tensors(self) -> None:
        """Data begin at a multiple of 64 bytes; tensors of n * 64 bytes too, others at one of their element's size."""
        arrays = small_model() | {"half": np.ones(5, "<f2"), "wide": np.ones((4, 16), "<f4"), "pair": np.ones(2, "<f4")}
        (self.folder / "weights.safetensors").write_bytes(safetensors_of(arrays))
        self.convert(self.folder / "weights.safetensors")
        content = (self.folder / "model.safetensors").read_bytes()
        size = int.from_bytes(content[:8], "little")
        self.assertEqual((8 + size) % 64, 0)
        header = json.loads(content[8 : 8 + size])
        self.assertEqual(header.pop("__metadata__"), {"format": "pt"})
        self.assertEqual(set(header), set(arrays))
        end = 0
        for found in sorted(header.values(), key=lambda item: item["data_offsets"]):
            begin, next_end = found["data_offsets"]
            self.assertEqual(begin, end)
            self.assertEqual(begin % (64 if (next_end - begin) % 64 == 0 else {"F32": 4, "F16": 2}[found["dtype"]]), 0)
            end = next_end
        self.assertEqual(8 + size + end, len(content))
        found = read_arrays(self.folder / "model.safetensors")
        for key, array in arrays.items():
            self.assertEqual(found[key].tobytes(), array.tobytes(), key)


if __name__ == "__main__":
    unittest.main()
