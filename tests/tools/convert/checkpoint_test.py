"""Tests how checkpoints are found and opened: directories, sharded models, and indexes with wrong shard names."""

import json
import os
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import torch_file_writer as torch
from support.converter import ConverterTest, read_arrays, safetensors_of, small_model


class Sharded(ConverterTest):
    """Tests a model of two shards, with both extensions."""

    def write(self, extension: str, **changes: object) -> Path:
        """Write two shards and their index into folder/model; changes replace keys of the index. Returns the folder."""
        directory = self.folder / "model"
        directory.mkdir(exist_ok=True)
        arrays = small_model()
        names = sorted(arrays)
        weight_map = {}
        for number, part in enumerate((names[:2], names[2:]), 1):
            stem = "model" if extension == "safetensors" else "pytorch_model"
            shard = f"{stem}-{number:05d}-of-00002.{extension}"
            content = {key: arrays[key] for key in part}
            as_bytes = (
                safetensors_of(content)
                if extension == "safetensors"
                else (torch.torch_zip_of(content) if number == 1 else torch.legacy_file_of(content))
            )
            (directory / shard).write_bytes(as_bytes)
            weight_map |= {key: shard for key in part}
        total = sum(array.nbytes for array in arrays.values())
        self.index = directory / (
            "model.safetensors.index.json" if extension == "safetensors" else "pytorch_model.bin.index.json"
        )
        self.weight_map = weight_map
        self.index.write_text(
            json.dumps({"metadata": {"total_size": total}, "weight_map": weight_map} | changes), encoding="utf-8"
        )
        return directory

    def name_shard(self, value: object) -> None:
        """Change the index so that the first tensor is in the shard `value`."""
        weight_map = self.weight_map | {next(iter(self.weight_map)): value}
        self.index.write_text(json.dumps({"weight_map": weight_map}), encoding="utf-8")

    def test_converts_both_kinds(self) -> None:
        """The converter reads safetensors shards, and .bin shards of which one is a zip archive and one a legacy file.
        """
        for extension in ("safetensors", "bin"):
            directory = self.write(extension)
            result = self.convert(self.index, "--force")
            found = read_arrays(directory / "model.safetensors")
            self.assertEqual(
                {key: value.tobytes() for key, value in found.items()},
                {key: value.tobytes() for key, value in small_model().items()},
            )
            self.assertEqual(len([line for line in result["errors"].splitlines() if "index announces" in line]), 0)

    def test_refuses_shard_names_that_are_no_plain_names(self) -> None:
        """An index is refused if a shard's name could lead out of the directory or is not the name of a shard."""
        directory = self.write("safetensors")
        outside = self.folder / "outside.safetensors"
        outside.write_bytes(safetensors_of(small_model()))
        (directory / "sub").mkdir()
        names = [
            str(outside),
            "../outside.safetensors",
            "./model-00001-of-00002.safetensors",
            "sub/../x.safetensors",
            "..",
            ".",
            "",
            ".hidden.safetensors",
            "a/b.safetensors",
            "a\\b.safetensors",
            "C:\\x.safetensors",
            "~/x.safetensors",
            "//host/x.safetensors",
            "file:///x.safetensors",
            "model.safetensors\0",
            "a\0.safetensors",
            "a\n.safetensors",
            "a".ljust(4096, "a") + ".safetensors",
            "%2e%2e%2fx.safetensors",
            "x.safetensors ",
            "x.safetensors/",
            "x.bin",
            "model-00001-of-00002.SAFETENSORS",
            "x．safetensors",
            "é.safetensors",
            "-x.safetensors",
            "$HOME.safetensors",
            "/dev/zero",
            "/proc/self/mem",
            None,
            1,
            ["x.safetensors"],
            {"a": "x.safetensors"},
        ]
        self.assertGreaterEqual(len(names), 30)
        for name in names:
            with self.subTest(repr(name)[:60]):
                self.name_shard(name)
                self.refuse("is not the plain name of a .safetensors file", directory)

    def test_refuses_shards_that_are_links_out_or_no_files(self) -> None:
        """A shard is refused if it is a link out of the directory, to a device or in a circle, or a FIFO, a directory
        or a socket."""
        directory = self.write("safetensors")
        outside = self.folder / "outside.safetensors"
        outside.write_bytes(safetensors_of(small_model()))
        (self.folder / "model-other").mkdir()
        (self.folder / "model-other" / "x.safetensors").write_bytes(outside.read_bytes())
        evil = directory / "evil.safetensors"
        for target, words in (
            (str(outside), "leads out of its directory"),
            ("../outside.safetensors", "leads out of its directory"),
            ("../model-other/x.safetensors", "leads out"),
            ("/dev/zero", "leads out"),
            ("/proc/self/mem", "leads out"),
            ("evil.safetensors", "cannot open"),
            ("nowhere", "No such file"),
        ):
            with self.subTest(target):
                os.symlink(target, evil)
                self.name_shard(evil.name)
                self.refuse(words, directory)
                evil.unlink()
        self.refuse("No such file", directory)
        os.mkfifo(evil)
        self.refuse("is not a regular file", directory)
        evil.unlink()
        evil.mkdir()
        self.refuse("is not a regular file", directory)

    def test_follows_the_links_of_the_hub_cache(self) -> None:
        """A link snapshots/REVISION/shard -> ../../blobs/HASH is followed inside of a folder models--*, but not into
        that of another model."""
        source = self.write("safetensors")
        root = self.folder / "models--a--b"
        snapshot = root / "snapshots" / "0123"
        snapshot.mkdir(parents=True)
        (root / "blobs").mkdir()
        for number, item in enumerate(sorted(source.iterdir())):
            (root / "blobs" / str(number)).write_bytes(item.read_bytes())
            os.symlink(f"../../blobs/{number}", snapshot / item.name)
        self.convert(snapshot)
        self.assertEqual(set(read_arrays(snapshot / "model.safetensors")), set(small_model()))
        shard = next(snapshot.glob("model-00001*"))
        shard.unlink()
        other = self.folder / "models--a--c" / "blobs"
        other.mkdir(parents=True)
        (other / "0").write_bytes((root / "blobs" / "0").read_bytes())
        os.symlink("../../../models--a--c/blobs/0", shard)
        self.refuse("leads out of its directory", snapshot / "model.safetensors.index.json", "--force")

    def test_refuses_indexes_that_lie(self) -> None:
        """An index is refused if a tensor is missing or in two shards, if a key is repeated, or if a value has another
        type."""
        directory = self.write("safetensors", weight_map={})
        self.refuse("'weight_map' is not a map", directory)
        self.write("safetensors", weight_map=["x"])
        self.refuse("'weight_map' is not a map", directory)
        self.write("safetensors")
        first, second = sorted(set(self.weight_map.values()))
        self.index.write_text(json.dumps({"weight_map": self.weight_map | {"absent": first}}), encoding="utf-8")
        self.refuse("tensor 'absent' is not in", directory)
        swapped = {key: (second if value == first else first) for key, value in self.weight_map.items()}
        self.index.write_text(json.dumps({"weight_map": swapped}), encoding="utf-8")
        self.refuse("is not in 'model-0000", directory)
        text = json.dumps({"weight_map": self.weight_map})
        key = next(iter(self.weight_map))
        self.index.write_text(
            text.replace('{"weight_map": {', '{"weight_map": {"%s": "%s", ' % (key, second)), encoding="utf-8"
        )
        self.refuse("duplicate key", directory)
        self.index.write_text("{" * 200_000, encoding="utf-8")
        self.refuse("is not JSON", directory)
        self.index.write_text('{"a":' * 200_000, encoding="utf-8")
        self.refuse("nested too deeply", directory)
        self.index.write_bytes(b" " * (33 * 1024 * 1024))
        self.refuse("at most 33554432 are read", directory)
        self.index.write_text(text, encoding="utf-8")
        (directory / second).write_bytes((directory / first).read_bytes())
        self.refuse("too", directory)

    def test_refuses_a_shard_of_another_kind(self) -> None:
        """A pickle is refused under a name that ends in .safetensors."""
        directory = self.write("safetensors")
        first = sorted(set(self.weight_map.values()))[0]
        (directory / first).write_bytes(torch.torch_zip_of(small_model()))
        self.refuse("is a torch zip archive, expected what .safetensors says", directory)

    def test_says_what_the_index_does_not_name(self) -> None:
        """The report names a tensor that only the shard has, and a total size that is not the true one."""
        directory = self.write("safetensors", metadata={"total_size": 1})
        del self.weight_map["pooler.dense.bias"]
        self.index.write_text(
            json.dumps({"metadata": {"total_size": 1}, "weight_map": self.weight_map}), encoding="utf-8"
        )
        result = self.convert(directory)
        self.assertIn("'pooler.dense.bias'", result["errors"])
        self.assertIn("the index announces '1' bytes", result["errors"])
        self.assertNotIn("pooler.dense.bias", read_arrays(directory / "model.safetensors"))


class Find(ConverterTest):
    """Tests which files count as checkpoints."""

    def test_refuses_what_is_no_checkpoint(self) -> None:
        """The kind of a file is found by its content, whatever its name is."""
        for name, content, words in (
            ("a.bin", b"\x89HDF\r\n\x1a\n", "HDF5"),
            ("a.bin", b"GGUF\3", "GGUF"),
            ("a.bin", b"", "no checkpoint"),
            ("a.bin", b"\x1f\x8b\x08", "gzip"),
            ("a.bin", b"version https://git-lfs.github", "Git LFS pointer"),
            ("a.bin", b"hello, world", "no checkpoint that is known"),
            ("a.safetensors", b"x", "at least 8"),
            ("a.index", b"x" * 100, "does not end as the index"),
        ):
            path = self.folder / name
            path.write_bytes(content)
            self.refuse(words, path)
            path.unlink()
        self.refuse("does not exist", self.folder / "nothing")
        self.refuse("no checkpoint in", self.folder)
        os.mkfifo(self.folder / "pytorch_model.bin")
        self.refuse("is not a regular file", self.folder)
        self.refuse("is not a regular file", "/dev/zero", "--output", self.folder / "out")
        self.refuse("'a\\x00b' does not exist", "a\0b")

    def test_leaves_hidden_files_alone(self) -> None:
        """Hidden files, which file managers and unfinished downloads leave, are not taken for checkpoints."""
        (self.folder / ".m.ckpt.index").write_bytes(b"x")
        self.refuse("no checkpoint in", self.folder)

    def test_asks_which_of_several(self) -> None:
        """The converter refuses to choose between two checkpoints."""
        (self.folder / "model.safetensors").write_bytes(safetensors_of(small_model(1)))
        (self.folder / "pytorch_model.bin").write_bytes(torch.torch_zip_of(small_model(2)))
        self.refuse("several checkpoints in", self.folder, "--output", self.folder / "out")
        self.convert(self.folder / "pytorch_model.bin", "--output", self.folder / "out")
        found = read_arrays(self.folder / "out" / "model.safetensors")
        np.testing.assert_array_equal(found["pooler.dense.bias"], small_model(2)["pooler.dense.bias"])


if __name__ == "__main__":
    unittest.main()
