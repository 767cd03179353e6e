"""Tests kills and failing disks at every point of a conversion. Afterwards there must be the old file, no file, or the
whole new file."""

import errno
import fcntl
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from support import torch_file_writer as torch
from support.converter import SCRIPT, ConverterTest, run_converter, small_model

from tools.convert.output_directory import OutputDirectory

OLD = b"the old file"
KILLS = 50

# A program that runs the converter in a forked child for each point of a conversion, and makes it fail or kills it
# there. argv: "kill" or an errno, and the model's folder. It prints a line for each point.
STEPPER = """
import os, signal, sys
sys.path.insert(0, {tools!r})
import convert_weights
from convert import output_directory

def run(action, point, model, out):
    calls = 0
    def step(function):
        def stepped(*arguments, **keywords):
            nonlocal calls
            calls += 1
            if calls == point:
                if action == "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                raise OSError(int(action), os.strerror(int(action)))
            return function(*arguments, **keywords)
        return stepped
    output_directory.OutputDirectory.write = step(output_directory.OutputDirectory.write)
    for name in ("fsync", "replace", "mkdir"):
        setattr(os, name, step(getattr(os, name)))
    sys.stdout = open(os.devnull, "w")
    code = convert_weights.main([model, "--output", out, "--force"])
    return code if calls >= point else 99

point = 0
while True:
    point += 1
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(sys.argv[3] + ".err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        os._exit(run(sys.argv[1], point, sys.argv[2], sys.argv[3]))
    status = os.waitpid(child, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    print(point, code, flush=True)
    if code == 99:
        break
    if sys.stdin.readline() == "":
        break
"""

# A program that forks a child for each line it reads, which is faster than a new Python. The child converts, and the
# test kills it. The program prints the child's id, and waits for the child only at the next line, so that no other
# process can get the id before.
FORKER = """
import os, sys
sys.path.insert(0, {tools!r})
import convert_weights
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        sys.stdout = sys.stderr = open(os.devnull, "w")
        os._exit(convert_weights.main([sys.argv[1], "--output", sys.argv[2], "--force"]))
    print(child, flush=True)
    sys.stdin.readline()
    os.waitpid(child, 0)
    print("ended", flush=True)
"""


def _size(path: Path) -> int:
    """Return the size of a file, or -1 if it no longer exists."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1


class Kill(ConverterTest):
    """Tests a model of 5 MB, whose writing takes some time."""

    def setUp(self) -> None:
        """Write the model, and convert it once for the expected result."""
        super().setUp()
        self.model = self.folder / "model"
        self.model.mkdir()
        random = np.random.default_rng(5)
        arrays = small_model() | {
            f"encoder.layer.{i}.output.dense.weight": random.standard_normal((150, 1000)).astype("<f4")
            for i in range(8)
        }
        (self.model / "pytorch_model.bin").write_bytes(torch.torch_zip_of(arrays))
        (self.model / "config.json").write_text("{}", encoding="utf-8")
        self.out = self.folder / "out"
        self.convert(self.model, "--output", self.out)
        self.expected = (self.out / "model.safetensors").read_bytes()

    def prepare(self, old: bool) -> None:
        """Put the old file, or none, under the final name."""
        for item in self.out.glob("*"):
            item.unlink()
        if old:
            (self.out / "model.safetensors").write_bytes(OLD)

    def outcome(self, old: bool) -> str:
        """Return what is under the final name: "old", "none" or "new". Anything else fails the test."""
        path = self.out / "model.safetensors"
        content = path.read_bytes() if path.exists() else None
        if content == self.expected:
            return "new"
        self.assertTrue(content == (OLD if old else None), "a broken file stands under the final name")
        return "old" if old else "none"

    def test_kill_at_50_instants_leaves_the_old_file_or_none(self) -> None:
        """SIGKILL comes before the first byte, at many sizes of the temporary file, and while that file is verified."""
        partial = self.out / "model.safetensors.partial"
        with subprocess.Popen(
            [sys.executable, "-c", FORKER.format(tools=str(SCRIPT.parent)), str(self.model), str(self.out)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as forker:

            def tell() -> str:
                forker.stdin.write("\n")
                forker.stdin.flush()
                return forker.stdout.readline()

            def wait_for(size: int) -> None:
                while _size(partial) < size:
                    if _size(self.out / "model.safetensors") == len(self.expected):
                        return

            # First an undisturbed run is measured: the times of the first byte, of the last byte and of the renaming.
            self.prepare(old=False)
            begin = time.monotonic()
            tell()
            wait_for(1)
            first = time.monotonic() - begin
            wait_for(len(self.expected))
            full = time.monotonic() - begin
            tell()
            end = time.monotonic() - begin
            counts: dict[str, int] = {}
            for number in range(KILLS):
                old = number % 2 == 0
                self.prepare(old)
                child = int(tell())
                if number < 5:
                    time.sleep(first * number / 5)
                elif number < 40:
                    wait_for(int(len(self.expected) * (number - 5) / 34))
                else:
                    wait_for(len(self.expected))
                    time.sleep((end - full) * (number - 40) / 10)
                os.kill(child, signal.SIGKILL)
                tell()
                what = self.outcome(old) + (" and a .partial" if partial.exists() else "")
                counts[what] = counts.get(what, 0) + 1
            forker.stdin.close()
        print(f"\nkill -9 at {KILLS} instants of a conversion of {end:.2f} s: {counts}")
        self.assertGreater(sum(count for what, count in counts.items() if "partial" in what), KILLS // 4, counts)
        self.convert(self.model, "--output", self.out, "--force")
        self.assertEqual(sorted(item.name for item in self.out.iterdir()), ["config.json", "model.safetensors"])

    def step(self, action: str, old: bool) -> list[tuple[int, str, str]]:
        """Act at each write, sync, rename and mkdir in turn. Return (exit code, outcome, errors) of each."""
        self.prepare(old)
        script = STEPPER.format(tools=str(SCRIPT.parent))
        results = []
        with subprocess.Popen(
            [sys.executable, "-c", script, action, str(self.model), str(self.out)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            for line in process.stdout:
                code = int(line.split()[1])
                errors = Path(str(self.out) + ".err").read_text(encoding="utf-8")
                if code == 99:
                    break
                results.append((code, self.outcome(old), errors))
                if action != "kill" and results[-1][1] != "new":
                    self.assertEqual(list(self.out.glob("*.partial")), [], "a temporary file is left")
                self.prepare(old)
                process.stdin.write("\n")
                process.stdin.flush()
        return results

    def test_kill_before_every_step_leaves_the_old_file_or_none(self) -> None:
        """The kill comes at each write, sync and rename, with an old file and without."""
        for old in (True, False):
            results = self.step("kill", old)
            self.assertGreaterEqual(len(results), 20)
            self.assertEqual({code for code, _, _ in results}, {-signal.SIGKILL})
            self.assertEqual([what for _, what, _ in results].count("new"), 1, "only the last sync follows the rename")

    def test_full_and_failing_disks_are_told_and_leave_nothing(self) -> None:
        """Each write, sync and rename fails with ENOSPC and with EIO. The exit code is 1, the error has one line, the
        old file stays, and no temporary file is left."""
        for number in (errno.ENOSPC, errno.EIO):
            for code, what, errors in self.step(str(number), old=True):
                self.assertEqual((code, errors.count("\n")), (1, 1), errors)
                self.assertIn(os.strerror(number), errors)
                self.assertIn(what, ("old", "new"))


class Limits(ConverterTest):
    """Tests errors and signals of the system."""

    def setUp(self) -> None:
        """Write a small model."""
        super().setUp()
        self.path = self.folder / "pytorch_model.bin"
        self.path.write_bytes(torch.torch_zip_of(small_model(vocab=5000)))

    def test_a_file_size_limit_is_an_error_of_one_line(self) -> None:
        """RLIMIT_FSIZE is smaller than the result, so the kernel stops the writing."""
        result = run_converter(
            self.path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        )
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
        self.assertIn("File too large", result.stderr)
        self.assertEqual([item.name for item in self.folder.iterdir()], ["pytorch_model.bin"])

    def test_a_termination_signal_removes_the_temporary_file(self) -> None:
        """SIGTERM or SIGINT comes during the writing: the exit code is 1, or the result is whole."""
        self.path.write_bytes(torch.torch_zip_of(small_model(vocab=500_000)))
        for signum in (signal.SIGTERM, signal.SIGINT):
            with subprocess.Popen(
                [sys.executable, str(SCRIPT), str(self.path), "--force"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            ) as process:
                while process.poll() is None and not (self.folder / "model.safetensors.partial").exists():
                    time.sleep(0.001)
                process.send_signal(signum)
                errors = process.stderr.read()
            if process.returncode == 0:  # the signal came after the renaming
                self.assertTrue((self.folder / "model.safetensors").exists())
                self.assertNotIn("error", errors)
            else:
                self.assertEqual((process.returncode, errors), (1, "convert_weights.py: error: stopped\n"))
            self.assertFalse((self.folder / "model.safetensors.partial").exists())

    def test_a_directory_that_is_being_written_is_refused(self) -> None:
        """Another conversion holds the lock."""
        descriptor = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self.refuse("another conversion is writing", self.path)

    def test_missing_parents_and_files_in_the_way_are_refused(self) -> None:
        """The output directory cannot be made or opened."""
        self.refuse("cannot make directory", self.path, "--output", self.folder / "a" / "b")
        self.refuse("cannot open directory", self.path, "--output", self.path)
        (self.folder / "model.safetensors").mkdir()
        self.refuse("exists", self.path)
        self.refuse("cannot read or write", self.path, "--force")
        self.assertEqual(
            sorted(item.name for item in self.folder.iterdir()), ["model.safetensors", "pytorch_model.bin"]
        )

    def test_a_left_over_partial_file_is_replaced(self) -> None:
        """If the partial file is a link, the file that it points to stays as it is."""
        precious = self.folder / "precious"
        precious.write_bytes(OLD)
        os.symlink(precious, self.folder / "model.safetensors.partial")
        self.convert(self.path)
        self.assertEqual(precious.read_bytes(), OLD)
        self.assertFalse((self.folder / "model.safetensors").is_symlink())


class Transaction(unittest.TestCase):
    """Tests the class alone."""

    def test_shows_files_together_and_in_order(self) -> None:
        """No file has its final name before commit(); without commit() there is no file at all."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "new")
            for commit in (False, True):
                with OutputDirectory(path) as output:
                    for name in ("1_Pooling/config.json", "model.safetensors"):
                        with output.create(name) as file:
                            output.write(file, b"x")
                            output.finish(file)
                    self.assertEqual(sorted(os.listdir(path)), ["1_Pooling", "model.safetensors.partial"])
                    if commit:
                        output.commit("old.json")
                self.assertEqual(os.path.exists(path), commit)
            self.assertEqual(sorted(os.listdir(path)), ["1_Pooling", "model.safetensors"])
            with OutputDirectory(path) as output:
                output.commit("model.safetensors")
            self.assertEqual(os.listdir(path), ["1_Pooling"])


if __name__ == "__main__":
    unittest.main()
