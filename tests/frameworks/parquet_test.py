"""Tests vectors for Parquet files: their bits, runs killed at any time, and shards. Needs pyarrow."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import bert_infer
import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
from bert_infer import parquet

KILLS = int(os.environ.get("BERT_TEST_KILLS", "20"))


class Parquet(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.source = cls.folder / "in.parquet"
        cls.texts = [f"text number {i} of many" if i % 97 else None for i in range(2000)]
        cls.table = pyarrow.table({"id": range(2000), "text": cls.texts})
        pyarrow.parquet.write_table(cls.table, cls.source, row_group_size=150)
        cls.model = bert_infer.Model()
        cls.whole = cls.folder / "whole.parquet"
        cls.summary = parquet.embed(cls.model, cls.source, cls.whole)

    def run_program(self, *arguments: object) -> subprocess.Popen:
        command = [sys.executable, "-m", "bert_infer", *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_has_the_models_bits_and_null_for_null(self) -> None:
        table = pyarrow.parquet.read_table(self.whole)
        self.assertTrue(table.select(["id", "text"]).equals(self.table))
        for text, vector in zip(self.texts[:200], table["embedding"].to_pylist()[:200], strict=True):
            if text is None:
                self.assertIsNone(vector)
            else:
                self.assertTrue(np.array_equal(np.float32(vector), self.model.encode(text)))
        counts = (self.summary["texts"], self.summary["nulls"], self.summary["failed"])
        self.assertEqual(counts, (2000, self.texts.count(None), 0))
        self.assertFalse(self.whole.with_name("whole.parquet.parts").exists())

    def test_takes_and_writes_arrow_files(self) -> None:
        source, target = self.folder / "in.arrow", self.folder / "out.feather"
        with pyarrow.ipc.new_file(source, self.table.schema) as writer:
            writer.write_table(self.table, max_chunksize=150)
        summary = parquet.embed(self.model, source, target)
        self.assertEqual(summary["digest"], self.summary["digest"])
        table = pyarrow.feather.read_table(target)
        self.assertTrue(table.equals(pyarrow.parquet.read_table(self.whole)))
        shards = [self.folder / f"shard{i}.arrow" for i in range(2)]
        for i, shard in enumerate(shards):
            parquet.embed(self.model, source, shard, shard=(i, 2))
        merged = self.folder / "merged.parquet"
        parquet.merge(shards[::-1], merged)
        self.assertTrue(pyarrow.parquet.read_table(merged).equals(table))

    def test_refuses_what_is_not_arrows_file_format(self) -> None:
        stream = self.folder / "stream.arrow"
        with pyarrow.ipc.new_stream(stream, self.table.schema) as writer:
            writer.write_table(self.table)
        for source in (stream, self.source.rename(self.folder / "renamed.arrow")):
            expected = f"{source.name}' is not of Arrow's IPC file format"
            with self.assertRaisesRegex(bert_infer.InvalidFileError, expected):
                parquet.embed(self.model, source, self.folder / "none.arrow")
        (self.folder / "renamed.arrow").rename(self.source)
        self.assertFalse((self.folder / "none.arrow.parts").exists())

    def test_puts_a_prompt_before_each_text(self) -> None:
        target = self.folder / "prompted.parquet"
        output, error = self.run_program("embed", self.source, target, "--prompt", "query: ").communicate()
        self.assertEqual((json.loads(output)["nulls"], error), (self.texts.count(None), ""))
        vector = pyarrow.parquet.read_table(target)["embedding"][1].as_py()
        self.assertTrue(np.array_equal(np.float32(vector), self.model.encode(self.texts[1], prompt="query: ")))

    def test_goes_on_after_a_kill_at_any_instant(self) -> None:
        """Runs are killed at many times and resumed. Each output equals that of a run without kills."""
        target = self.folder / "killed.parquet"
        process = self.run_program("embed", self.source, target)
        begin = time.monotonic()
        process.communicate()
        lasts = time.monotonic() - begin
        expected, outputs = target.read_bytes(), 0
        target.unlink()
        for kill in range(KILLS):
            process = self.run_program("embed", self.source, target, "--resume")
            time.sleep(lasts * ((kill * 0.618) % 1))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            if target.exists():
                self.assertEqual(target.read_bytes(), expected)
                outputs += 1
                target.unlink()
        process = self.run_program("embed", self.source, target, "--resume")
        printed, messages = process.communicate()
        self.assertEqual(process.returncode, 0, messages)
        self.assertEqual(json.loads(printed)["digest"], self.summary["digest"])
        self.assertEqual(target.read_bytes(), expected)
        print(f"{KILLS} kills, {outputs + 1} outputs, all equal")

    def interrupted(self, name: str) -> Path:
        """Returns the output of a run that ended with two row groups on the disk."""
        target = self.folder / name
        written = parquet.write_table
        calls = []

        def write(table, path):
            if len(calls) == 2:
                raise KeyboardInterrupt
            calls.append(path)
            written(table, path)

        parquet.write_table = write
        try:
            with self.assertRaises(KeyboardInterrupt):
                parquet.embed(self.model, self.source, target)
        finally:
            parquet.write_table = written
        return target

    def test_refuses_to_mix_models_options_or_inputs(self) -> None:
        target = self.interrupted("mixed.parquet")
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "resume the run that left it"):
            parquet.embed(self.model, self.source, target)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "had another model"):
            parquet.embed(bert_infer.Model(precision="int8"), self.source, target, resume=True)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "had another options"):
            parquet.embed(self.model, self.source, target, resume=True, truncate_dim=8)
        changed = self.folder / "changed.parquet"
        texts = ["other", *self.texts[1:]]
        pyarrow.parquet.write_table(pyarrow.table({"id": range(2000), "text": texts}), changed, row_group_size=150)
        with self.assertRaisesRegex(bert_infer.InvalidFileError, "other texts than row group 0 .*has changed"):
            parquet.embed(self.model, changed, target, resume=True)
        self.assertEqual(parquet.embed(self.model, self.source, target, resume=True)["digest"], self.summary["digest"])

    def test_shards_are_merged_in_any_order(self) -> None:
        shards = [self.folder / f"shard{i}.parquet" for i in range(3)]
        for i, path in enumerate(shards):
            process = self.run_program("embed", self.source, path, "--shard", f"{i + 1}/3")
            self.assertEqual(process.wait(), 0)
            process.communicate()
        for order in ((0, 1, 2), (2, 0, 1)):
            merged = self.folder / "merged.parquet"
            summary = parquet.merge([shards[i] for i in order], merged)
            self.assertEqual(summary["digest"], self.summary["digest"])
            self.assertEqual(merged.read_bytes(), self.whole.read_bytes())
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, r"without number \[2\]"):
            parquet.merge([shards[0], shards[2]], self.folder / "less.parquet")

    def test_a_missing_column_is_named(self) -> None:
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "no column 'body'"):
            parquet.embed(self.model, self.source, self.folder / "x.parquet", column="body")


if __name__ == "__main__":
    unittest.main()
