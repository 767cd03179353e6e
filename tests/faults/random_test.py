"""Makes random allocations fail in each command and in `serve`, alone or with all later ones. A command must print the
right output and exit with 0, or print an error and exit with 1, and must never end by a signal. A file that existed
before must be whole, and a new directory whole or absent. FAULTS_SECONDS limits the time (default 10, at most 1,200);
FAULTS_SEED chooses the draws (share.py)."""

import concurrent.futures
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import program_test
import server_test
import share
from program_test import NO_MEMORY, OLD, PROGRAM, SHIM

SECONDS = min(float(os.environ.get("FAULTS_SECONDS", "10")), 1200)
TINY = server_test.DATA / "checkpoint" / "bert-tiny-own"
CLASSIFIER = server_test.CLASSIFIER
LAST_LINE = r"(?:\A|\n)bert-infer: error: [^\n]+\n(?:bert-infer: note: [^\n]+\n)*\Z"

# OUT is a file that exists before, DIR a new directory, TEXTS a file of lines.
COMMANDS = {
    **program_test.COMMANDS,
    "embed, resumed": ["embed", "--resume", "--format", "npy", "--output", "NEW", "--input", "TEXTS"],
    "embed tokens": ["embed", "--format", "safetensors", "--output", "OUT", "--input", "TEXTS"],
    "embed, ranges": ["embed", "--save-ranges", "OUT", "--input", "TEXTS", "--format", "npy", "--output", "NEW"],
    "search": ["search", "--corpus", "TEXTS", "a fox"],
    "search with an index": ["search", "--index", "NEW", "--corpus", "TEXTS", "a fox"],
    "explain": ["explain", "--html", "OUT", "a fox"],
    "positions": ["positions", "--html", "OUT"],
    "order": ["order", "--html", "OUT", "a fox and a dog"],
    "segments": ["segments", "a fox", "a dog"],
    "probe": ["probe"],
    "report": ["report", "--html", "OUT", "a fox and a dog"],
    "rerank": ["rerank", "a fox", "a dog", "the sea"],
    "inspect, digests": ["inspect", "--digests", "--model", str(program_test.BUILTIN)],
    "compare": ["compare", "--html", "OUT", str(program_test.BUILTIN), str(program_test.BUILTIN)],
    "verify": ["verify", "--model", str(program_test.BUILTIN), "--against", str(program_test.BUILTIN)],
    "quantize": ["quantize", str(program_test.BUILTIN), "DIR"],
    "distill": ["distill", str(program_test.BUILTIN), "DIR"],
    "manual": ["--manual"],
    "completion": ["--completion", "zsh"],
}
if TINY.is_dir():
    COMMANDS["fill-mask"] = ["fill-mask", "--model", str(TINY), "a [MASK] fox"]
    COMMANDS["tokenize by another model"] = ["tokenize", "--model", str(TINY), "a fox"]
if CLASSIFIER.is_dir():
    COMMANDS["classify"] = ["classify", "--model", str(CLASSIFIER), "a lovely film"]


class Run:
    """One run of a command, and the files that it leaves in its folder."""

    def __init__(self, arguments: list[str], fault: str):
        self.arguments = arguments
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            count, texts, out = folder / "count", folder / "texts", folder / "out"
            out.write_bytes(OLD)
            texts.write_bytes(b"the quick brown fox\na dog\nthe sea\n" * 5)
            places = {"OUT": out, "NEW": folder / "new", "DIR": folder / "directory", "TEXTS": texts}
            environment = {
                "PATH": os.environ["PATH"], "HOME": name, "TMPDIR": name,
                "LD_PRELOAD": str(SHIM), "BERT_FAULT": fault, "BERT_FAULT_COUNT": str(count),
            }
            process = subprocess.run([PROGRAM, *[str(places.get(word, word)) for word in arguments]],
                                     input=program_test.STDIN, capture_output=True, env=environment, timeout=120)
            self.status = process.returncode
            self.printed = process.stdout.replace(name.encode(), b"FOLDER")
            self.error = process.stderr.decode(errors="replace").replace(name, "FOLDER")
            self.out = out.read_bytes() if out.exists() else b""
            self.directory = sorted(str(path.relative_to(folder)) for path in places["DIR"].rglob("*"))
            self.is_left = (folder / "out.partial").exists()
            self.calls = int(count.read_text() or 0) if count.exists() else 0


class RandomFaults(unittest.TestCase):
    def problem(self, run: Run, expected: Run) -> str:
        """Returns what is wrong with a run, or ""."""
        if run.status in (-signal.SIGSEGV, -signal.SIGABRT) and run.arguments == COMMANDS["encode to npz"]:
            # minizip writes to memory for an entry's header before it checks whether the allocation succeeded.
            return "" if run.out == OLD else "another content of the file"
        if run.status not in (expected.status, 1):
            return f"status {run.status}"
        if run.status == 1 and expected.status != 1:
            if not re.search(LAST_LINE, run.error):
                return "no line that says why"
            if run.out not in (OLD, expected.out) and not re.search(NO_MEMORY, run.error):
                return "another content of the file"
            if run.directory not in ([], expected.directory):
                return f"a directory with {run.directory}"
        elif (run.printed, run.out, run.directory) != (expected.printed, expected.out, expected.directory):
            return "another result"
        # Without memory to unwind the stack, the program ends at once and leaves the unfinished file.
        may_be_left = "what was written before is in" in run.error or run.error.endswith("error: out of memory\n")
        return "a file is left" if run.is_left and not may_be_left else ""

    def start_of_serve(self, number: int, rest: str) -> str:
        """Returns "" if the server starts and ends in order, or reports why it does not start."""
        with tempfile.TemporaryDirectory() as folder:
            fault = f"memory:{number}{rest}:ENOMEM"
            environment = {"PATH": os.environ["PATH"], "LD_PRELOAD": str(SHIM), "BERT_FAULT": fault}
            command = [PROGRAM, "serve", "--listen", f"unix:{folder}/socket", "--threads", "2"]
            process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True)
            printed = ""
            for line in process.stderr:
                printed += line
                if line == "bert-infer: note: ready\n":
                    process.send_signal(signal.SIGTERM)
            status = process.wait(60)
            process.stderr.close()
        if status == 0 or (status == 1 and re.search(LAST_LINE, printed)):
            return ""
        return f"status {status}: {printed[-500:]}"

    def test_until_the_time_is_up(self) -> None:
        dice = random.Random(share.SEED)
        end = time.monotonic() + SECONDS
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            plain = pool.map(lambda name: Run(COMMANDS[name], "memory:0:ENOMEM"), COMMANDS)
            expected = dict(zip(COMMANDS, plain))
            for name, run in expected.items():
                self.assertEqual(run.status, 2 if name == "wrong usage" else 0, f"{name}: {run.error}")
            server = server_test.Server(Path(folder))
            self.addCleanup(server.process.kill)
            routes = server_test.ServerFaults()
            routes.server = server
            answers = {name: routes.expected(name) for name in server_test.ROUTES}
            runs, problems = 0, []

            def command(name: str, number: int, rest: str) -> str:
                run = Run(COMMANDS[name], f"memory:{number}{rest}:ENOMEM")
                problem = self.problem(run, expected[name])
                return f"{name}, memory:{number}{rest}:ENOMEM: {problem}: {run.error[-500:]}" if problem else ""

            while time.monotonic() < end:
                drawn = []
                for name in dice.sample(sorted(COMMANDS), len(COMMANDS)):
                    calls = expected[name].calls
                    # All commands load the model first, so half of the draws are from the end.
                    number = dice.randint(1, calls) if dice.random() < 0.5 else calls - int(calls ** dice.random()) + 1
                    drawn.append((name, number, dice.choice(("", "+"))))
                tasks = [pool.submit(command, *one) for one in drawn]
                tasks.append(pool.submit(self.start_of_serve, dice.randint(1, expected["embed"].calls),
                                         dice.choice(("", "+"))))
                for _ in range(20):
                    name = dice.choice(sorted(answers))
                    answer, calls = answers[name]
                    routes.check(name, dice.randint(1, calls), dice.choice(list(server_test.FAILING.values())), answer)
                problems += [task.result() for task in tasks if task.result()]
                runs += len(tasks) + 20
            self.assertEqual(server.end(), 0)
        print(f"{runs} runs", flush=True)
        if problems:
            self.fail(f"{len(problems)} of {runs} runs, FAULTS_SEED={share.SEED}:\n" + "\n".join(problems))


if __name__ == "__main__":
    unittest.main()
