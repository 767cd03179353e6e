"""Makes the program's calls for memory and files fail, each in turn, alone and with all later ones. The program must
print the right output and exit with 0, or print one line of error and exit with 1. A file that existed before must be
whole. share.py chooses which calls fail: one allocation in ninety, different ones for each command because all commands
load the same model, and one call on files in three."""

import concurrent.futures
import io
import json
import os
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

import share

PROGRAM = Path(os.environ["BERT_INFER_PROGRAM"])
SHIM = Path(os.environ["BERT_FAULTS_SHIM"])
WRITE_TINY_MODELS = os.environ["BERT_TINY_MODELS"]
BUILTIN = Path(__file__).parents[2] / "models" / "builtin"
OLD = b"what was there before\n"
NO_MEMORY = r"not enough memory for (?:a forward pass|the tokens) of this text"
ONE_ERROR = r"\Abert-infer: error: [^\n]+\n\Z"
TEXTS_ERRORS = rf"\A(?:bert-infer: error: (?:[a-z ]+\d+: )?{NO_MEMORY}\n)+(?:bert-infer: note: [^\n]+\n)*\Z"


class Run:
    """One run of the program. In `arguments`, OUT is a file that exists before. Its content is part of the result."""

    def __init__(self, arguments, fault, stdin=b""):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            out.write_bytes(OLD)
            count = Path(folder) / "count"
            environment = {
                "PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder,
                "LD_PRELOAD": str(SHIM), "BERT_FAULT": fault, "BERT_FAULT_COUNT": str(count),
            }
            words = [str(out) if word == "OUT" else word for word in arguments]
            process = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, env=environment, timeout=60)
            self.status = process.returncode
            self.printed = process.stdout
            self.error = process.stderr.decode().replace(folder, "FOLDER")
            self.file = out.read_bytes() if out.exists() else None
            self.calls = int(count.read_text() or 0) if count.exists() else 0

    def results(self):
        return self.printed, self.file


COMMANDS = {
    "embed to a file": ["embed", "--format", "npy", "--output", "OUT", "the quick brown fox", "a dog"],
    "embed": ["embed", "--format", "json", "the quick brown fox"],
    "encode": ["encode", "--format", "json", "--output", "OUT", "--layers", "a fox"],
    "encode to npz": ["encode", "--format", "npz", "--output", "OUT", "--layers", "a fox"],
    "tokenize": ["tokenize", "--format", "jsonl", "--input", "-"],
    "similarity": ["similarity", "a fox", "a dog", "the sea"],
    "attention": ["attention", "--html", "OUT", "a fox"],
    # Without memory for a second thread, inspect would report one thread.
    "inspect": ["inspect", "--threads", "1"],
    "wrong usage": ["embed", "--no-such-option"],
    "help": ["--help"],
}
STDIN = b"the quick brown fox\na dog\n" * 20


class Faults(unittest.TestCase):
    def sweep(self, name, call, error, step, must_succeed=False):
        """Makes every step-th of these calls fail, alone and with all later ones."""
        arguments = COMMANDS[name]
        expected = Run(arguments, f"{call}:0:{error}", STDIN)
        # The first calls, which are before main(), all fail.
        sites = sorted({*range(1, min(expected.calls, 3) + 1),
                        *share.of(range(1, expected.calls + 1), step, f"{name} {call} {error}")})
        faults = [f"{call}:{n}{rest}:{error}" for n in sites for rest in (("",) if error == "EINTR" else ("", "+"))]
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for fault, run in zip(faults, pool.map(lambda f: Run(arguments, f, STDIN), faults)):
                self.check(f"{name}, {fault}", run, expected, must_succeed)
        print(f"{name}, {call} {error}: {len(faults)} runs of {expected.calls} calls", flush=True)

    def check(self, where, run, expected, must_succeed):
        allowed = (expected.status,) if must_succeed else (expected.status, 1)
        self.assertIn(run.status, allowed, f"{where}: {run.error}")
        if run.status == expected.status and expected.status != 1:
            self.assertEqual(run.results(), expected.results(), where)
        else:
            # A research command has one text, whose error is the command's.
            if re.search(TEXTS_ERRORS, run.error) and not where.startswith("attention,"):
                self.check_own_errors(where, run, expected)
                return
            # A second output may fail after the first is complete.
            self.assertIn(run.file, (OLD, expected.file), where)
            self.assertRegex(run.error, ONE_ERROR, where)

    def check_own_errors(self, where, run, expected):
        """Expects an error for each text without memory, and the right result for the others."""
        for found, whole in ((run.printed, expected.printed), (run.file, expected.file)):
            if found == whole or found == OLD:
                continue
            if whole.startswith(b"\x93NUMPY"):
                rows, whole_rows = np.load(io.BytesIO(found)), np.load(io.BytesIO(whole))
                self.assertEqual(rows.shape, whole_rows.shape, where)
                failed = np.isnan(rows).all(axis=1)
                self.assertTrue(failed.any(), where)
                self.assertEqual(rows[~failed].tobytes(), whole_rows[~failed].tobytes(), where)
                continue
            lines, whole_lines = found.splitlines(), whole.splitlines()
            self.assertEqual(len(lines), len(whole_lines), where)
            for line, whole_line in zip(lines, whole_lines):
                if whole_line.startswith(b"{") and line != whole_line:
                    self.assertRegex(json.loads(line)["error"], rf"\A{NO_MEMORY}\Z", where)
                for word, whole_word in zip(line.split(), whole_line.split()):  # "-" replaces a number of a failed text
                    self.assertTrue(whole_line.startswith(b"{") or word in (b"-", whole_word), where)

    def test_memory(self):
        # minizip writes to memory for an entry's header before it checks whether the allocation succeeded.
        for name in sorted(COMMANDS.keys() - {"encode to npz"}):
            with self.subTest(name):
                self.sweep(name, "memory", "ENOMEM", 90)

    def test_files(self):
        for name in ("embed to a file", "encode to npz", "tokenize", "attention"):
            for call, errors in {
                "open": ["EIO", "EINTR"], "read": ["EIO", "EINTR", "short"],
                "write": ["EIO", "ENOSPC", "EINTR", "short"],
                "close": ["EIO", "EINTR"], "sync": ["EIO", "EINTR"], "rename": ["EIO", "EINTR"], "seek": ["EIO"],
                "map": ["ENOMEM"], "status": ["EIO"],
            }.items():
                for error in errors:
                    with self.subTest(name, call=call, error=error):
                        self.sweep(name, call, error, 3, must_succeed=error in ("EINTR", "short"))

    def test_new_directories(self):
        """A directory appears completely or not at all."""
        tiny = tempfile.TemporaryDirectory()
        self.addCleanup(tiny.cleanup)
        subprocess.run([WRITE_TINY_MODELS, tiny.name], check=True)
        # quantize writes a large file in many parts. distill computes, so it gets a model of 40 tokens.
        models = {"quantize": BUILTIN, "distill": Path(tiny.name) / "embedder"}
        for command, call, error in (
                ("quantize", "sync", "EIO"), ("distill", "sync", "EIO"),
                ("quantize", "write", "ENOSPC"), ("distill", "write", "ENOSPC")):
            names, calls, failed = set(), 0, 0
            while failed <= calls:
                with tempfile.TemporaryDirectory() as folder:
                    written, count = Path(folder) / "written", Path(folder) / "count"
                    environment = {
                        "PATH": os.environ["PATH"], "LD_PRELOAD": str(SHIM), "BERT_FAULT": f"{call}:{failed}:{error}",
                        "BERT_FAULT_COUNT": str(count),
                    }
                    words = [PROGRAM, command, models[command], written]
                    process = subprocess.run(words, capture_output=True, env=environment, timeout=60, text=True)
                    where = f"{command}, {call} {failed}: {process.stderr}"
                    found = {str(path.relative_to(folder)) for path in written.rglob("*")}
                    self.assertFalse(Path(f"{written}.partial").exists(), where)
                    if failed == 0:
                        self.assertEqual(process.returncode, 0, where)
                        names, calls = found, int(count.read_text())
                        self.assertGreater(calls, 0, where)
                    else:
                        self.assertEqual(process.returncode, 1, where)
                        self.assertRegex(process.stderr, r"bert-infer: error: [^\n]+\n\Z", where)
                        self.assertIn(found, (set(), names), where)
                        if error == "ENOSPC":
                            self.assertIn("No space left on device", process.stderr, where)
                failed += 10 if (command, call) == ("quantize", "write") else 1
            print(f"{command}: {calls} times {call} for {len(names)} files and folders", flush=True)

    def test_killed_at_instants_of_a_run(self):
        """The output file has its former content or the complete new one."""
        texts = b"the quick brown fox\n" * 300
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            command = [PROGRAM, "embed", "--input", "-", "--format", "npy", "--output", out]
            begin = time.monotonic()
            subprocess.run(command, input=texts, check=True)
            duration, complete = time.monotonic() - begin, out.read_bytes()
            finished, instants = 0, share.of(range(300), 3)
            for instant in instants:
                out.write_bytes(OLD)
                process = subprocess.Popen(command, stdin=subprocess.PIPE)
                process.stdin.write(texts)
                process.stdin.close()
                time.sleep(duration * instant / 300)
                process.kill()
                finished += process.wait() == 0
                self.assertIn(out.read_bytes(), (OLD, complete), f"killed after {instant} of 300 parts of a run")
            print(f"killed {len(instants) - finished} of {len(instants)} runs", flush=True)
            self.assertLess(finished, len(instants))


if __name__ == "__main__":
    unittest.main()
