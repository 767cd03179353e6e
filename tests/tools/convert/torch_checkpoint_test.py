"""Tests torch files of both containers: the header of a legacy file, strides, views, wrappers and tied weights."""

import struct
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import torch_file_writer as torch
from support.converter import ConverterTest, read_arrays, small_model
from support.torch_file_writer import (
    ORDERED_DICT,
    call,
    dict_of,
    legacy_file,
    name,
    number,
    pickled,
    storage,
    tensor,
    text,
    tuple_of,
)

DATA = struct.pack("<6f", 0, 1, 2, 3, 4, 5)
SIX = {"0": (6, DATA)}
PICKLE = pickled(dict_of(("w", tensor(storage("0", 6, legacy=True), (6,), (1,)))))


def view_storage(view: bytes) -> bytes:
    """Return a storage reference of a legacy file that views a part of the stored numbers."""
    return tuple_of(text("storage"), name("torch.FloatStorage"), text("0"), text("cpu"), number(6), view) + b"Q"


def legacy_files() -> dict[str, tuple[bytes, str]]:
    """Return a map from case to (file, words of the error)."""
    good = legacy_file(PICKLE, SIX)
    large = b"](" + b"}" * 59_000 + b"e"
    view = lambda *numbers: view_storage(tuple_of(text("1"), *map(number, numbers)))  # noqa: E731
    viewed = lambda reference: pickled(dict_of(("w", tensor(reference, (2,), (1,)))))  # noqa: E731
    return {
        "protocol 1000": (legacy_file(PICKLE, SIX, protocol=pickled(b"M\xe8\x03")), "legacy protocol is not 1001"),
        "protocol a string": (legacy_file(PICKLE, SIX, protocol=pickled(text("1001"))), "legacy protocol is not 1001"),
        "protocol that calls": (
            legacy_file(PICKLE, SIX, protocol=pickled(call("os.getcwd"))),
            "global 'os.getcwd' is not allowed",
        ),
        "big-endian": (legacy_file(PICKLE, SIX, little_endian=False), "big-endian"),
        "state dict that calls": (legacy_file(pickled(call("os.getcwd")), SIX), "state dict of"),
        "keys that call": (legacy_file(PICKLE, SIX, keys=pickled(call("os.getcwd"))), "storage keys of"),
        "keys a dict": (legacy_file(PICKLE, SIX, keys=pickled(b"}")), "not a list of different strings"),
        "key twice": (
            legacy_file(PICKLE, SIX, keys=pickled(b"](" + text("0") * 2 + b"e")),
            "not a list of different strings",
        ),
        "key missing": (legacy_file(PICKLE, {}), "storage '0' is not in the file"),
        "key used by nothing": (legacy_file(PICKLE, SIX | {"1": (1, bytes(4))}), "storage '1' is used by no tensor"),
        "more elements announced": (
            legacy_file(PICKLE, {"0": (2**60, DATA)}),
            "has 1152921504606846976 elements, expected 6",
        ),
        "negative elements": (legacy_file(PICKLE, {"0": (-1, DATA)}), "has -1 elements"),
        "numbers cut short": (good[:-1], "is truncated at byte"),
        "bytes after the numbers": (good + b"x", "the data ends at byte"),
        "count cut short": (good[:-26], "is truncated at byte"),
        "keys and state dict as large as can be": (
            legacy_file(pickled(dict_of(("a" * 10**6 + "😀", large))), SIX, keys=pickled(b"]" + large + b"a")),
            "not a list of different strings",
        ),
        "magic alone": (torch.LEGACY_MAGIC, "protocol of"),
        "storage of five parts": (
            legacy_file(pickled(dict_of(("w", tensor(storage("0", 6), (6,), (1,))))), SIX),
            "of 6 parts",
        ),
        "view a number": (legacy_file(viewed(view_storage(number(1))), SIX), "storage view is an integer"),
        "view beyond the storage": (legacy_file(viewed(view(4, 3)), SIX), "storage view ends at element 7 of 6"),
        "view negative": (legacy_file(viewed(view(-1, 3)), SIX), "storage view offset is -1"),
        "tensor beyond the view": (
            legacy_file(pickled(dict_of(("w", tensor(view(2, 3), (4,), (1,))))), SIX),
            "of a storage of 3",
        ),
        "tensor with two storages of one key": (
            legacy_file(
                pickled(
                    dict_of(
                        ("a", tensor(storage("0", 6, legacy=True), (6,), (1,))),
                        ("b", tensor(storage("0", 3, legacy=True), (3,), (1,))),
                    )
                ),
                SIX,
            ),
            "two types or sizes",
        ),
    }


class TorchCheckpoint(ConverterTest):
    """Runs the converter on one pytorch_model.bin."""

    def write(self, content: bytes) -> Path:
        """Write the file and return its path."""
        path = self.folder / "pytorch_model.bin"
        path.write_bytes(content)
        return path

    def result(self) -> dict[str, np.ndarray]:
        """Return the tensors that the conversion wrote."""
        return read_arrays(self.folder / "model.safetensors")

    def test_refuses_legacy_files_that_lie(self) -> None:
        """One of the five pickles, or the numbers after them, is wrong."""
        for case, (content, words) in legacy_files().items():
            with self.subTest(case):
                path = self.write(content)
                self.refuse(words, path)
                self.assertEqual([item.name for item in self.folder.iterdir()], [path.name])

    def test_every_truncation_of_a_legacy_file_is_refused(self) -> None:
        """A file cut at any byte is an error of one line."""
        whole = legacy_file(PICKLE, SIX)
        for size in range(len(whole)):
            with self.subTest(size):
                self.refuse("pytorch_model.bin", self.write(whole[:size]))

    def test_all_containers_of_one_model_agree(self) -> None:
        """Zip and legacy files give the arrays from which they were written."""
        arrays = small_model()
        for content in (torch.torch_zip_of(arrays), torch.legacy_file_of(arrays)):
            self.convert(self.write(content), "--force")
            found = self.result()
            self.assertEqual(set(found), set(arrays))
            for key, array in arrays.items():
                np.testing.assert_array_equal(found[key].view(np.uint32), array.view(np.uint32))

    def test_reads_views_of_a_legacy_storage(self) -> None:
        """A storage views the elements 2 to 4 of another."""
        reference = view_storage(tuple_of(text("99"), number(2), number(3)))
        self.convert(self.write(legacy_file(pickled(dict_of(("w", tensor(reference, (2,), (1,), 1)))), SIX)))
        self.assertEqual(self.result()["w"].tolist(), [3, 4])

    def test_reads_byte_strings_of_python_2_in_legacy_files(self) -> None:
        """A key may be a SHORT_BINSTRING."""
        body = b"}" + b"U\1w" + tensor(storage("0", 6, legacy=True), (6,), (1,)) + b"s"
        self.convert(self.write(legacy_file(pickled(body), SIX)))
        self.assertEqual(self.result()["w"].tolist(), [0, 1, 2, 3, 4, 5])

    def test_gathers_transposed_and_expanded_tensors(self) -> None:
        """One storage has tensors with strides (1, 2) and (0, 1), with an offset, a scalar and an empty tensor."""
        source = storage("0", 6)
        pickle = pickled(
            dict_of(
                ("t", tensor(source, (2, 3), (1, 2))),
                ("e", tensor(source, (2, 3), (0, 1), 3)),
                ("s", tensor(source, (), (), 5)),
                ("n", tensor(source, (0, 9), (9, 1))),
            )
        )
        self.convert(self.write(torch.torch_zip(pickle, {"0": DATA})))
        found = self.result()
        self.assertEqual(found["t"].tolist(), [[0, 2, 4], [1, 3, 5]])
        self.assertEqual(found["e"].tolist(), [[3, 4, 5], [3, 4, 5]])
        self.assertEqual((found["s"].shape, found["s"].tolist(), found["n"].shape), ((), 5, (0, 9)))

    def test_reads_every_way_to_rebuild_a_tensor(self) -> None:
        """The pickles have versions 1 and 3, parameters, torch.Size, metadata, and an OrderedDict made of pairs."""
        untyped = storage("1", 24, "torch.storage.UntypedStorage")
        size, stride = tuple_of(number(6)), tuple_of(number(1))
        v2 = tensor(storage("0", 6), (6,), (1,))
        pairs = (
            ("v1", call("torch._utils._rebuild_tensor", storage("0", 6), number(0), size, stride)),
            (
                "v3",
                call(
                    "torch._utils._rebuild_tensor_v3",
                    untyped,
                    number(0),
                    call("torch.Size", size),
                    stride,
                    b"\x89",
                    ORDERED_DICT,
                    name("torch.float32"),
                ),
            ),
            ("parameter", call("torch._utils._rebuild_parameter", v2, b"\x88", ORDERED_DICT)),
            (
                "metadata",
                call(
                    "torch._utils._rebuild_tensor_v2",
                    storage("0", 6),
                    number(0),
                    size,
                    stride,
                    b"\x88",
                    ORDERED_DICT,
                    b"}",
                ),
            ),
        )
        ordered = call(
            "collections.OrderedDict", b"](" + b"".join(tuple_of(text(key), value) for key, value in pairs) + b"e"
        )
        state = dict_of(("_metadata", dict_of(("", dict_of(("version", number(1)))))))
        self.convert(self.write(torch.torch_zip(pickled(ordered + state + b"b"), {"0": DATA, "1": DATA})))
        for key in ("v1", "v3", "parameter", "metadata"):
            self.assertEqual(self.result()[key].tolist(), [0, 1, 2, 3, 4, 5], key)

    def test_unwraps_a_state_dict_and_says_what_it_leaves(self) -> None:
        """The weights are in {"state_dict": …, "epoch": …}, beside an entry that is no tensor."""
        inner = dict_of(("w", tensor(storage("0", 6), (6,), (1,))), ("step", number(3)))
        pickle = pickled(dict_of(("epoch", number(1)), ("state_dict", inner)))
        result = self.convert(self.write(torch.torch_zip(pickle, {"0": DATA})))
        self.assertEqual(list(self.result()), ["w"])
        self.assertIn("'epoch' beside 'state_dict' is not read", result["errors"])
        self.assertIn("'step' is no tensor", result["errors"])


if __name__ == "__main__":
    unittest.main()
