"""Tests zip archives that two readers could understand differently. The converter must refuse each with one line that
names the reason."""

import dataclasses
import struct
import sys
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import torch_file_writer as torch
from support.converter import ConverterTest, read_arrays, small_model
from support.torch_file_writer import (
    Entry,
    dict_of,
    pickled,
    storage,
    tensor,
    torch_entries,
    zip_archive,
)

PICKLE = pickled(dict_of(("w", tensor(storage(), (4,), (1,)))))
DATA = struct.pack("<4f", 1, 2, 3, 4)


def entries(**changes: object) -> list[Entry]:
    """Return the entries of a good archive. changes: fields to replace in its storage, 'archive/data/0'."""
    result = torch_entries(PICKLE, {"0": DATA})
    result[2] = dataclasses.replace(result[2], **changes)
    return result


def zip64_extra(*values: int) -> bytes:
    """Return an extra field with 8-byte values."""
    return struct.pack("<2H", 1, 8 * len(values)) + struct.pack(f"<{len(values)}Q", *values)


def archives() -> dict[str, tuple[bytes, str]]:
    """Return a map from case to (archive, words of the error)."""
    good = zip_archive(entries())
    extra_pickle = Entry(b"archive/data.pkl", pickled(b"cos\nsystem\n."))
    deflated = zlib.compress(DATA)[2:-4]
    cases = {
        "local name another": (entries(local_name=b"archive/data/1"), "is named 'archive/data/1' in its local header"),
        "local name longer": (entries(local_name=b"archive/data/00"), "in its local header"),
        "checksum wrong": (entries(crc32=1), "checksum"),
        "compressed": (
            entries(method=8, data=deflated, size=16, stored=len(deflated), local_size=16),
            "is compressed (method 8)",
        ),
        "compression bomb": (
            entries(method=8, data=zlib.compress(bytes(10**6))[2:-4], size=2**31, stored=1000),
            "is compressed",
        ),
        "method unknown": (entries(method=99), "is compressed (method 99)"),
        "encrypted": (entries(flags=1), "is encrypted"),
        "strongly encrypted": (entries(flags=0x41), "is encrypted"),
        "patched data": (entries(flags=0x20), "flags 0x0020"),
        "flags differ": (entries(local_flags=1), "disagree about flags"),
        "sizes differ in the directory": (entries(stored=15), "is stored in 15 bytes but has 16"),
        "size larger than the data": (entries(size=17), "local header says 16, the directory 17"),
        "size smaller than the data": (entries(size=12), "local header says 16, the directory 12"),
        "local size another": (entries(local_size=20), "local header says 20, the directory 16"),
        "overlap": (entries(start=0), "overlaps what follows it"),
        "start inside another entry": (entries(start=40), "overlaps"),
        "start beyond the file": (entries(start=2**31), "bytes of no entry"),
        "gap with bytes": (entries(gap=b"hidden"), "bytes of no entry"),
        "gap that ends as an entry": (entries(gap=b"PK\3\4" + bytes(60)), "bytes of no entry"),
        "other disk": (entries(disk=1), "lies on another disk"),
        "twice in the directory": (entries(in_directory=2), "duplicate entry"),
        "not in the directory": (entries(in_directory=0), "bytes of no entry"),
        "pickle twice": (entries() + [extra_pickle], "duplicate entry 'archive/data.pkl'"),
        "pickle hidden from the directory": (
            [dataclasses.replace(extra_pickle, in_directory=0)] + entries(),
            "bytes of no entry",
        ),
        "zip64 without its field": (entries(size=2**32 - 1, stored=2**32 - 1), "zip64 extra field is missing"),
        "zip64 size another": (
            entries(size=2**32 - 1, stored=2**32 - 1, extra=zip64_extra(2**40, 2**40)),
            "local header says 16",
        ),
        "zip64 stored another": (
            entries(size=2**32 - 1, stored=2**32 - 1, extra=zip64_extra(16, 17)),
            "stored in 17 bytes but has 16",
        ),
        "zip64 twice": (entries(extra=zip64_extra(1) * 2), "two zip64 extra fields"),
        "extra field cut": (entries(extra=b"\1\0\xff\0"), "extra field is malformed"),
        "extra field of a byte": (entries(extra=b"\1"), "extra field is malformed"),
    }
    result = {case: (zip_archive(items), words) for case, (items, words) in cases.items()}
    for case, name in {
        "parent": b"archive/../../etc/passwd",
        "absolute": b"/archive/x",
        "drive": b"C:/x",
        "backslash": b"archive\\data\\0",
        "NUL": b"archive/data.pkl\0.txt",
        "newline": b"archive/a\nb",
        "dot": b"archive/./x",
        "double slash": b"archive//x",
        "folder": b"archive/folder/",
        "empty": b"",
        "not UTF-8": b"archive/\xff",
        "of 4,096 bytes": b"a" * 4096,
        "right to left": "archive/\u202egnp.x".encode(),
    }.items():
        result[f"name: {case}"] = (zip_archive(entries() + [Entry(name, b"x")]), "entry name")
    for case, name, words in (
        ("TorchScript code", b"archive/code/__torch__.py", "is a TorchScript program"),
        ("TorchScript constants", b"archive/constants.pkl", "is a TorchScript program"),
        ("second root", b"other/data.pkl", "has 2 top folders"),
        ("file at the top", b"data.pkl", "has 2 top folders"),
        ("unknown entry", b"archive/setup.py", "'setup.py' does not belong"),
        ("storage not a number", b"archive/data/x", "does not belong"),
        ("storage in a folder", b"archive/data/0/1", "does not belong"),
    ):
        result[f"entry: {case}"] = (zip_archive(entries() + [Entry(name, b"x")]), words)
    result |= {
        "pickle missing": (zip_archive(entries()[1:]), "'data.pkl' is missing"),
        "version missing": (zip_archive(entries()[:-1]), "'version' is missing"),
        "big-endian": (
            zip_archive([entries()[0], Entry(b"archive/byteorder", b"big"), *entries()[2:]]),
            "byte order 'big'",
        ),
        "comment": (zip_archive(entries(), comment=b"comment"), "followed by a comment"),
        "comment that is an end record": (zip_archive(entries(), comment=good[-22:]), "end records begin at"),
        "bytes after the end": (good + b"\n", "no end record in the last 22 bytes"),
        "end record twice": (zip_archive(entries(), before_directory=good[-22:]), "belong to no entry"),
        "end record among the weights": (zip_archive(entries(data=b"PK\5\6" + bytes(18))), "second end record"),
        "archive in front": (good + good, "end records begin at"),
        "archive in front, places adjusted": (zip_archive(entries(), prefix=good), "second end record"),
        "bytes in front, places adjusted": (zip_archive(entries(), prefix=b"PK\3\4" + bytes(60)), "bytes of no entry"),
        "bytes before the directory": (zip_archive(entries(), before_directory=b"hidden"), "belong to no entry"),
        "bytes after the directory": (zip_archive(entries(), after_directory=b"hidden"), "end records begin at"),
        "directory announced longer": (zip_archive(entries(), size=10**6), "end records begin at"),
        "directory announced elsewhere": (zip_archive(entries(), start=0), "end records begin at"),
        "more entries announced": (zip_archive(entries(), count=60_000, disk_entries=60_000), "at most 4000 entries"),
        "one entry more announced": (zip_archive(entries(), count=5, disk_entries=5), "4 entries, 5 are announced"),
        "one entry fewer announced": (zip_archive(entries(), count=3, disk_entries=3), "bytes after its last entry"),
        "counts differ": (zip_archive(entries(), disk_entries=3), "counts 3 and 4"),
        "second disk": (zip_archive(entries(), disk=1), "spread over several disks"),
        "directory on a second disk": (zip_archive(entries(), directory_disk=1), "spread over several disks"),
        "25,000 entries": (
            zip_archive(entries() + [Entry(b"archive/data/%d" % i, b"") for i in range(1, 25_000)], align=1),
            "at most 4000",
        ),
        "directory of 5 MB": (
            zip_archive(
                entries(extra=struct.pack("<2H", 9, 60_000) + bytes(60_000))
                + [
                    Entry(b"archive/data/%d" % i, b"", extra=struct.pack("<2H", 9, 60_000) + bytes(60_000))
                    for i in range(1, 90)
                ],
                align=1,
            ),
            "1048576 bytes are read",
        ),
        "zip64 end elsewhere": (
            _changed(zip_archive(entries(), zip64=True), -34, b"\0" * 8),
            "zip64 end record at byte 0",
        ),
        "zip64 end malformed": (
            _changed(zip_archive(entries(), zip64=True), -98, b"PK\6\5"),
            "zip64 end record is malformed",
        ),
        "zip64 end disagrees": (
            _changed(zip_archive(entries(), zip64=True), -74, struct.pack("<2Q", 3, 3)),
            "two end records disagree",
        ),
        "tar archive": (b"x".ljust(257, b"\0") + b"ustar" + bytes(300), "is a tar archive"),
        "4,000 entries around a large pickle": (
            zip_archive(
                torch_entries(pickled(b"](" + b"}" * 59_000 + b"e"), {str(i): b"" for i in range(3_990)}), align=1
            ),
            "holds no dict",
        ),
        "end record alone": (b"PK\3\4" + good[-22:], "end records begin at"),
        "descriptor that disagrees": (
            zip_archive([entries()[0], dataclasses.replace(entries()[1], described=True), *entries()[2:]]).replace(
                b"PK\7\x08", b"PK\7\x09", 1
            ),
            "data descriptor",
        ),
        "four bytes": (b"PK\3\4", "no end record"),
    }
    return result


def _changed(data: bytes, position: int, new: bytes) -> bytes:
    position += len(data)
    return data[:position] + new + data[position + len(new) :]


class ZipArchive(ConverterTest):
    """Tests archives as pytorch_model.bin."""

    def test_refuses_what_has_two_readings(self) -> None:
        """Names, sizes, checksums, positions or end records are wrong."""
        cases = archives()
        self.assertGreaterEqual(len(cases), 60)
        for case, (archive, words) in cases.items():
            with self.subTest(case):
                path = self.folder / "pytorch_model.bin"
                path.write_bytes(archive)
                self.refuse(words, path)
                self.assertEqual([item.name for item in self.folder.iterdir()], [path.name])

    def test_reads_what_is_well_formed(self) -> None:
        """torch writes alignment, zip64 end records and data descriptors."""
        described = [dataclasses.replace(entry, described=True) for entry in entries()]
        for case, archive in {
            "aligned": zip_archive(entries()),
            "not aligned": zip_archive(entries(), align=1),
            "zip64": zip_archive(entries(), zip64=True),
            "descriptors": zip_archive(described),
            "UTF-8 flag": zip_archive(entries(flags=0x800)),
            "weights that hold the signature": zip_archive(torch_entries(PICKLE, {"0": b"PK\5\6" * 4})),
        }.items():
            with self.subTest(case):
                path = self.folder / "pytorch_model.bin"
                path.write_bytes(archive)
                self.convert(path, "--force")

    def test_every_truncation_is_refused(self) -> None:
        """An archive cut at any byte is an error of one line."""
        whole = torch.torch_zip_of({"a": small_model()["pooler.dense.bias"]})
        path = self.folder / "pytorch_model.bin"
        for size in range(0, len(whole), 3):
            with self.subTest(size):
                path.write_bytes(whole[:size])
                self.refuse("pytorch_model.bin", path)

    def test_a_flipped_byte_is_refused_or_harmless(self) -> None:
        """If any byte is changed, the archive is refused or has the same weights: padding, dates and versions have no
        effect."""
        arrays = {"a": small_model()["pooler.dense.bias"]}
        whole = torch.torch_zip_of(arrays)
        path = self.folder / "pytorch_model.bin"
        accepted = 0
        for position in range(0, len(whole), 2):
            with self.subTest(position):
                path.write_bytes(_changed(whole, position - len(whole), bytes([whole[position] ^ 0xFF])))
                result = self.harness.run(path, "--force")
                if result["code"] == 0:
                    accepted += 1
                    found = read_arrays(self.folder / "model.safetensors")
                    self.assertEqual(found["a"].tobytes(), arrays["a"].tobytes())
                else:
                    self.assertEqual((result["code"], result["errors"].count("\n")), (1, 1), result)
        self.assertGreater(accepted, 0)


if __name__ == "__main__":
    unittest.main()
