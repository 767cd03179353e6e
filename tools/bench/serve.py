#!/usr/bin/env python3
"""Measures `bert-infer serve` under loads of `bench load`. Prints one line for each figure, with the expected value.

    tools/bench/serve.py MINILM [--base DIRECTORY] [--rounds N] [--turns N] [--only NAME,…] [--build DIRECTORY]

MINILM is the directory of all-MiniLM-L6-v2. --base is the directory of a model of BERT-base's shape, which the
measurement `overload` needs. The names are clients, one, answers, idle, overload, reload, drain and kill. `clients` and
`one` take turns between a load and the library's own calls. `idle` takes turns between a load with idle and slow
connections beside it and a load without them. Exits with 1 if a figure is not as expected.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from statistics import median

WORDS = (
    "the of a market guitar river stock music light plays falls near small old green day night people water house"
).split()
failures = 0


def report(what: str, found: str, expected: str, is_met: bool) -> None:
    global failures
    failures += not is_met
    print(f"| {what} | {found} | {expected} | {'yes' if is_met else 'no'} |", flush=True)


def text(words: int, seed: int) -> str:
    return " ".join(WORDS[(seed * 7 + i * i + i * seed) % len(WORDS)] for i in range(words))


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_ready(server: subprocess.Popen, address: str) -> None:
    for _ in range(12000):
        try:
            urllib.request.urlopen(address).close()
            return
        except (urllib.error.URLError, ConnectionError):
            if server.poll() is not None:
                raise RuntimeError(f"the server ended with {server.returncode}") from None
            time.sleep(0.01)
    raise RuntimeError(f"{address} does not become ready")


class Bench:
    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.program = options.build / "bert-infer"
        self.bodies = self.write_bodies("short", [text(8, i) for i in range(64)])

    def write_bodies(self, name: str, texts: list[str]) -> Path:
        path = self.folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps({"inputs": one}) + "\n" for one in texts))
        return path

    def start(self, model: Path, port: int, *arguments: str) -> subprocess.Popen:
        command = [self.program, "serve", "--model", f"m={model}", "--listen", f"127.0.0.1:{port}", *arguments]
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        wait_until_ready(server, f"http://127.0.0.1:{port}/ready")
        return server

    @contextmanager
    def server(self, model: Path, *arguments: str):
        port = free_port()
        server = self.start(model, port, *arguments)
        try:
            yield f"127.0.0.1:{port}", server.pid
        finally:
            server.terminate()
            server.wait()

    def begin_load(self, address: str, bodies: Path, *arguments) -> subprocess.Popen:
        command = [self.options.build / "tools/bench/bench", "load", "--address", address, "--bodies", bodies]
        return subprocess.Popen([*command, *map(str, arguments)], stdout=subprocess.PIPE)

    def load(self, address: str, bodies: Path, *arguments) -> dict:
        return json.loads(self.begin_load(address, bodies, *arguments).communicate()[0])

    def beside_library(self, clients: int) -> list[tuple[dict, dict]]:
        """Returns the times of the load and of the library's own calls. The two take turns, because the machine's
        speed changes."""
        command = [self.options.build / "tools/bench/bench", "text", self.options.minilm, "2", self.bodies]
        rounds = []
        with self.server(self.options.minilm, "--threads", "2") as (address, process):
            self.load(address, self.bodies, "--clients", clients, "--seconds", 1)
            for _ in range(self.options.rounds):
                load = self.load(address, self.bodies, "--clients", clients, "--seconds", 2, "--process", process)
                library = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
                rounds.append((load, json.loads(library)))
        return rounds

    def clients(self) -> None:
        rounds = self.beside_library(64)
        cpu = [load["server"]["cpu_us_an_answer"] for load, _ in rounds]
        own = [library["cpu_us_of_a_text_in_batches"] for _, library in rounds]
        more = median(one - other for one, other in zip(cpu, own, strict=True))
        rate = median(load["good_per_second"] for load, _ in rounds)
        report("64 clients: CPU time of the server a request, above the library's",
               f"{median(cpu):.0f} and {median(own):.0f} µs: {more:+.0f} µs; {rate:.0f} a second", "≤ 80 µs",
               more <= 80)
        p99 = [load["status"]["200"]["ms"]["p99"] for load, _ in rounds]
        batch = [library["batch_of_64_ms"] for _, library in rounds]
        ratio = median(one / other for one, other in zip(p99, batch, strict=True))
        report("64 clients: p99, by the time of a batch of 64",
               f"{median(p99):.1f} and {median(batch):.1f} ms: {ratio:.2f}", "≤ 2.5", ratio <= 2.5)

    def one(self) -> None:
        rounds = self.beside_library(1)
        medians = [load["status"]["200"]["ms"]["median"] for load, _ in rounds]
        own = [library["call_ms"] for _, library in rounds]
        more = median(one - other for one, other in zip(medians, own, strict=True))
        report("one client: median, above the library's call",
               f"{median(medians):.2f} and {median(own):.2f} ms: {more:+.2f} ms", "≤ 0.2 ms", more <= 0.2)

    def answers(self) -> None:
        texts = [text(1 + i * i % 200, i) for i in range(200)]
        bodies, answers = self.write_bodies("mixed", texts), self.folder / "answers.jsonl"
        with self.server(self.options.minilm) as (address, _):
            load = self.load(address, bodies, "--clients", 32, "--seconds", 10, "--answers", answers)
        lines = self.folder / "lines.txt"
        lines.write_text("".join(one + "\n" for one in texts))
        command = [self.program, "embed", "--model", self.options.minilm, "--input", lines, "--format", "jsonl"]
        printed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        expected = [json.loads(line)["embedding"] for line in printed.splitlines()]
        received = [json.loads(line) for line in answers.read_text().splitlines()]
        pairs = [(one, other) for one, other in zip(received, expected, strict=True) if one is not None]
        different = sum(one != [other] for one, other in pairs)
        report("answers under load that differ", f"{load['wrong']} of {load['sent']} from the first to the same body, "
               f"{different} of {len(pairs)} from the program's", "0, 0", load["wrong"] + different == 0)

    def idle(self) -> None:
        rounds = []
        with self.server(self.options.minilm) as (address, process):
            rate = self.load(address, self.bodies, "--clients", 1, "--seconds", 2)["good_per_second"] / 3
            for _ in range(self.options.rounds):
                plain = self.load(address, self.bodies, "--rate", rate, "--seconds", 4)
                crowded = self.load(address, self.bodies, "--rate", rate, "--seconds", 4, "--process", process,
                                    "--idle", 10000, "--slow", 200)
                rounds.append((plain, crowded))
        what = "10,000 idle and 200 slow connections:"
        size = max(load["server"]["anonymous_kib_before"] - load["server"]["anonymous_kib_alone"] for _, load in rounds)
        report(f"{what} memory of one", f"{size / 10200:.1f} KiB", "≤ 16 KiB", size / 10200 <= 16)
        for name, most in ("median", 1.05), ("p99", 1.5):
            before, after = ([load["status"]["200"]["ms"][name] for load in loads] for loads in zip(*rounds))
            ratio = median(one / other for one, other in zip(after, before, strict=True))
            report(f"{what} others' {name}", f"{median(before):.2f} → {median(after):.2f} ms, {ratio:.2f}",
                   f"≤ {most}", ratio <= most)

    @staticmethod
    def tokens_of(address: str, one: str) -> int:
        body = json.dumps({"inputs": one}).encode()
        with urllib.request.urlopen(f"http://{address}/tokenize", body) as answer:
            return len(json.load(answer)[0])

    def overload(self) -> None:
        if not self.options.base:
            print("| overload | skipped: no --base | | |")
            return
        model = self.folder / "base"
        shutil.copytree(self.options.base.resolve(), model, copy_function=os.symlink)
        shutil.copy(self.options.minilm / "vocab.txt", model)
        bodies = self.write_bodies("long", [text(126, i) for i in range(16)])
        queue = ("--threads", "2", "--queue-texts", "64", "--max-texts", "32")
        with self.server(model, *queue) as (address, process):
            tokens = self.tokens_of(address, text(126, 0))
            self.load(address, bodies, "--clients", 16, "--seconds", 2)
            capacity = self.load(address, bodies, "--clients", 8, "--seconds", 30)["good_per_second"]
            load = self.load(address, bodies, "--rate", 10 * capacity, "--seconds", self.options.overload_seconds,
                             "--probe", "/health", "--process", process)
        good = load["good_per_second"] / capacity
        report("overload, 10 times the capacity: goodput",
               f"{good:.2f} of {capacity:.1f} texts of {tokens} tokens a second", "≥ 0.9", good >= 0.9)
        refused = load["status"]["429"]["ms"]["p99"]
        report("overload: p99 of 429", f"{refused:.1f} ms", "≤ 10 ms", refused <= 10)
        health = load["probe_ms"]["p99"]
        report("overload: p99 of /health", f"{health:.1f} ms", "≤ 50 ms", health <= 50)
        memory = load["server"]
        grown = (memory["anonymous_kib_most"] - memory["anonymous_kib_before"]) / 1024
        report("overload: memory gained", f"{grown:.1f} MiB", "≤ 16 MiB", grown <= 16)

    def copies(self) -> tuple[Path, Path]:
        one = self.folder / "model"
        shutil.copytree(self.options.minilm, one)
        return one, self.folder / "next"

    def reload(self) -> None:
        model, following = self.copies()
        with self.server(model) as (address, process):
            load = self.begin_load(address, self.bodies, "--clients", 16, "--seconds", 0.25 * self.options.turns)
            for turn in range(self.options.turns):
                shutil.copytree(model, following, copy_function=os.link)
                model.rename(self.folder / "former")
                following.rename(model)
                os.kill(process, signal.SIGHUP)
                time.sleep(0.2)
                shutil.rmtree(self.folder / "former")
            result = json.loads(load.communicate()[0])
        lost = result["sent"] - result["status"]["200"]["count"]
        report(f"{self.options.turns} reloads under load: lost, wrong",
               f"{lost}, {result['wrong']} of {result['sent']}", "0, 0", lost == 0 and result["wrong"] == 0)

    def end(self, how: signal.Signals) -> None:
        port = free_port()
        accepted_lost = wrong = sent = 0
        first: dict[int, str] = {}
        answers = self.folder / "answers_of_a_turn.jsonl"
        for _ in range(self.options.turns):
            server = self.start(self.options.minilm, port)
            load = self.begin_load(f"127.0.0.1:{port}", self.bodies, "--clients", 16, "--seconds", 0.6,
                                   "--expect-continue", "--answers", answers)
            time.sleep(0.3)
            server.send_signal(how)
            server.wait()
            result = json.loads(load.communicate()[0])
            accepted_lost += result["lost_after_accepted"] + result["unanswered"]
            wrong += result["wrong"]
            sent += result["sent"]
            for i, line in enumerate(answers.read_text().splitlines()):
                wrong += line != "null" and first.setdefault(i, line) != line
        if how == signal.SIGTERM:
            report(f"{self.options.turns} drains under load: accepted requests lost, wrong",
                   f"{accepted_lost}, {wrong} of {sent}", "0, 0", accepted_lost == 0 and wrong == 0)
        else:
            report(f"{self.options.turns} kills under load: wrong answers", f"{wrong} of {sent}", "0", wrong == 0)

    def drain(self) -> None:
        self.end(signal.SIGTERM)

    def kill(self) -> None:
        self.end(signal.SIGKILL)


def main() -> int:
    names = ["clients", "one", "answers", "idle", "overload", "reload", "drain", "kill"]
    parser = argparse.ArgumentParser(description="Measures bert-infer serve.")
    parser.add_argument("minilm", type=Path)
    parser.add_argument("--base", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--overload-seconds", type=float, default=60)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--only", default=",".join(names))
    parser.add_argument("--build", type=Path, default=Path(__file__).resolve().parents[2] / "build")
    options = parser.parse_args()
    print("| what | found | expected | met |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, Path(folder))
        for name in options.only.split(","):
            getattr(bench, name)()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
