"""Checks that the time for a file or an argument grows no faster than its size. Each kind of input is doubled twice,
and a doubling may take at most 2.5 times as long. Sizes are doubled until the largest input of a kind takes at least
GROWTH_SECONDS (default 0.4). One kind in three is tried, chosen by share.py."""

import json
import os
import struct
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import share

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
TINY_MODELS = os.environ["BERT_TINY_MODELS"]
SECONDS = float(os.environ.get("GROWTH_SECONDS", "0.4"))
MOST_BYTES = 64 << 20  # the largest input; a kind that is still fast grows slowly enough
GROWTH = 2.5


def members(count: int) -> dict:
    """Returns an object with `count` members."""
    return {f"name_{i}": i for i in range(count)}


class Folder:
    """A scratch folder with tiny models."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "models").mkdir()
        subprocess.run([TINY_MODELS, path / "models"], check=True, stdout=subprocess.DEVNULL)

    def model(self, name: str) -> Path:
        return self.path / "models" / name

    def write(self, name: str, content: str | bytes) -> str:
        path = self.path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def rewrite(self, model: str, file: str, more: dict) -> Path:
        """Adds members to a JSON file of the model. Returns the model's path."""
        path = self.model(model) / file
        original = path.with_suffix(".original")
        if not original.exists():
            original.write_text(path.read_text() if path.exists() else "{}")
        path.write_text(json.dumps(json.loads(original.read_text()) | more))
        return self.model(model)


def tokenize(model: Path) -> list[str]:
    return ["tokenize", "--model", str(model), "a fox"]


def npy(rows: int, row: Callable[[int], list[float]]) -> bytes:
    numbers = [number for i in range(rows) for number in row(i)]
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {len(row(0))}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    begin = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
    return begin + struct.pack(f"<{len(numbers)}f", *numbers)


# For each kind of input, a function that writes an input of a given size and returns the program's arguments for it.
KINDS: dict[str, Callable[[Folder, int], list[str]]] = {
    "members of config.json": lambda f, n: tokenize(f.rewrite("embedder", "config.json", members(n))),
    "members of tokenizer_config.json": lambda f, n: tokenize(
        f.rewrite("classes", "tokenizer_config.json", members(n))),
    "members of special_tokens_map.json": lambda f, n: tokenize(
        f.rewrite("sparse", "special_tokens_map.json", members(n))),
    "members of added_tokens.json": lambda f, n: tokenize(f.rewrite("merged", "added_tokens.json", {
        f"name_{i}": 1000 + i for i in range(n)})),
    "members of adapter_config.json": lambda f, n: [
        "embed", "--model", str(f.model("embedder")), "--adapter",
        str(f.rewrite("adapter", "adapter_config.json", {"name": members(n)})), "a fox"],
    "lines": lambda f, n: ["tokenize", "--format", "ids", "--input", f.write("lines", "a fox\n" * n)],
    "records": lambda f, n: ["tokenize", "--format", "ids", "--csv", "--input", f.write(
        "csv", "text,b\n" + "a,1\n" * n)],
    "columns": lambda f, n: ["tokenize", "--format", "ids", "--csv", "--input", f.write(
        "wide", "text," + ",".join(map(str, range(n))) + "\na," + ",".join("1" * n))],
    "members of a record": lambda f, n: ["tokenize", "--format", "ids", "--jsonl", "--input", f.write(
        "jsonl", json.dumps({"text": "a fox"} | members(n)))],
    "words of a text": lambda f, n: ["tag", "--model", str(f.model("firing-tagger")), "--aggregation", "simple",
                                     "--stride", "4", "--input", f.write("text", "the brown fox " * n)],
    "words without spaces": lambda f, n: [
        "redact", "--model", str(f.model("firing-gliner")), "--labels", "coding", "--input",
        f.write("word", "brown_fox_" * n)],
    "matches of an expression": lambda f, n: [
        "redact", "--expression", r"A=\w", "--mask", "*", "--input", f.write("letters", "a " * n)],
    "labels": lambda f, n: ["classify", "--model", str(f.model("gliclass")), "--max-length", "24", "--labels",
                            ",".join(f"l{i}" for i in range(min(n, 12_000))), "a fox"],
    "equal vectors of k-means": lambda f, n: [
        "cluster", "--k", "100", "--vectors", f.write("v.npy", npy(n, lambda i: [1.0, 0.0]))],
    "equal vectors of communities": lambda f, n: [
        "cluster", "--threshold", "0.5", "--vectors", f.write("v.npy", npy(n, lambda i: [1.0, 0.0]))],
    "equal vectors of duplicates": lambda f, n: [
        "dedup", "--vectors", f.write("v.npy", npy(n, lambda i: [1.0, 0.0]))],
    "an unknown option": lambda f, n: ["embed", "--" + "x" * min(n, 100_000), "a fox"],
}


def seconds(arguments: list[str]) -> float:
    """Returns the seconds of CPU of a run, which may fail."""
    process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


class Growth(unittest.TestCase):
    def test_time_grows_no_faster_than_the_input(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Folder(Path(name))
            for kind in share.of(KINDS, 3, "growth"):
                make = KINDS[kind]
                with self.subTest(kind=kind):
                    size, times = 2_000, []
                    start = seconds(make(folder, 1))
                    while True:
                        times.append(seconds(make(folder, size)) - start)
                        if (len(times) > 2 and times[-1] >= SECONDS) or size >= MOST_BYTES // 32:
                            break
                        size *= 2
                    print(f"{kind:36} {size:8}  " + " ".join(f"{time:.3f}" for time in times[-3:]), flush=True)
                    for before, after in zip(times[-3:], times[-2:]):
                        self.assertLess(after, GROWTH * before + 0.15, f"{kind}: {size}: {times}")


if __name__ == "__main__":
    unittest.main()
