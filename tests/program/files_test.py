"""Tests what becomes of a file that two runs of the program write at once, that a killed run was writing, or that
another run reads. BERT_TEST_KILLS: how many times each command is killed (default 3). BERT_TEST_WINDOWS: the program is
one for Windows, which replaces no file that is mapped."""

import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["BERT_INFER_PROGRAM"]
KILLS = int(os.environ.get("BERT_TEST_KILLS", "3"))
HINT = b"Windows replaces no file that is open, mapped or read-only"
SECONDS = 120


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=SECONDS, check=False)  # fmt: skip

    def succeed(self, *arguments: str) -> None:
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 0, (arguments, result.stderr))

    def begin(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Starts a run that waits for standard input."""
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, name: str) -> None:
        end = time.monotonic() + SECONDS
        while not (self.folder / name).exists():
            self.assertLess(time.monotonic(), end, f"no {name}")
            time.sleep(0.01)

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def texts(self, name: str) -> list[str]:
        return (self.folder / name).read_text().splitlines()

    def test_two_runs_that_write_one_file_each_write_all_of_it(self) -> None:
        write = ("tokenize", "--format", "ids", "--output", "out")
        first = self.begin(*write)
        self.wait_for("out.partial")
        second = self.begin(*write)
        self.wait_for("out.partial.2")
        second.communicate(b"a dog\na dog\n", timeout=SECONDS)
        self.assertEqual((second.returncode, len(self.texts("out"))), (0, 2))
        first.communicate(b"a cat\n", timeout=SECONDS)
        self.assertEqual((first.returncode, len(self.texts("out")), self.names()), (0, 1, ["out"]))

    def test_a_killed_run_leaves_the_old_file_and_a_partial_one(self) -> None:
        write = ("tokenize", "--format", "ids", "--output", "out")
        self.succeed(*write, "a dog")
        old = self.texts("out")
        killed = self.begin(*write)
        self.wait_for("out.partial")
        killed.kill()
        killed.wait(SECONDS)
        self.assertEqual((self.texts("out"), self.names()), (old, ["out", "out.partial"]))
        self.succeed(*write, "a cat and a dog")
        self.assertNotEqual(self.texts("out"), old)
        self.assertEqual(self.names(), ["out", "out.partial"])

    def kill_at_instants(self, result: str, *arguments: str) -> None:
        """Kills the command at instants spread over a run. What has the result's name must then be the old or the
        new, and whole; what else is there must be named partial. The same command then succeeds."""

        def content() -> dict[str, bytes]:
            place = self.folder / result
            files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
            return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}

        old, kept = content(), {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        start = time.monotonic()
        self.succeed(*arguments)
        seconds, new = time.monotonic() - start, content()
        for i in range(KILLS):
            self.put_back(result, kept)
            process = self.begin(*arguments)
            try:
                process.communicate(timeout=seconds * (i + 1) / (KILLS + 1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(SECONDS)
            self.assertIn(content(), (old, new))
            others = [name for name in self.names() if name not in (result, *kept)]
            self.assertEqual([name for name in others if not name.startswith(f"{result}.partial")], [])
            self.put_back(result, kept)
            self.succeed(*arguments)
            self.assertEqual(content(), new)

    def put_back(self, result: str, kept: dict[str, bytes]) -> None:
        """Puts the state before the command back."""
        if result in kept:
            (self.folder / result).write_bytes(kept[result])
        else:
            shutil.rmtree(self.folder / result, ignore_errors=True)

    def test_a_killed_embed(self) -> None:
        (self.folder / "texts").write_text("a dog barks\n" * 1000)
        (self.folder / "out").write_text("old")
        self.kill_at_instants("out", "embed", "--format", "npy", "--input", "texts", "--output", "out")

    def test_a_killed_index(self) -> None:
        (self.folder / "texts").write_text("a cat sleeps\n")
        search = ("search", "--input", "texts", "--index", "index", "a dog")
        self.succeed(*search)
        (self.folder / "texts").write_text("".join(f"a dog barks {i} times\n" for i in range(1000)))
        self.kill_at_instants("index", *search)

    def test_a_killed_quantize(self) -> None:
        self.kill_at_instants("small", "quantize", str(REPOSITORY / "models" / "builtin"), "small")

    def test_a_file_that_another_run_has_mapped(self) -> None:
        """Everywhere but on Windows the file is replaced."""
        self.succeed("quantize", str(REPOSITORY / "models" / "builtin"), "model")
        self.succeed("pack", "model")
        reader = self.begin("embed", "--model", "model", "--format", "jsonl", "--output", "vectors")
        self.wait_for("vectors.partial")
        for arguments in (("pack", "model"), ("embed", "--output", "model/model.safetensors", "a dog")):
            result = self.run_program(*arguments)
            if "BERT_TEST_WINDOWS" not in os.environ:
                self.assertEqual(result.returncode, 0, result.stderr)
                continue
            self.assertEqual((result.returncode, result.stderr.count(b"\n")), (1, 1), result.stderr)
            self.assertIn(HINT, result.stderr)
        reader.communicate(b"a dog\n", timeout=SECONDS)
        self.assertEqual(reader.returncode, 0)


if __name__ == "__main__":
    unittest.main()
