"""Sends large bodies with expensive content to every route that computes. Time and memory must grow no faster than the
body, and the server must keep to its memory limit. HOSTILE_BODY is the size of the larger bodies in bytes (default
400,000; the server's limit is 2,000,000); the smaller bodies have half of it. One shape in three is tried, chosen by
tests/faults/share.py."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "faults"))
import share

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
SIZE = int(os.environ.get("HOSTILE_BODY", "400000"))
LIMIT = 300  # MiB
MEGABYTE = 1 << 20


def many(text: str, size: int) -> list[str]:
    return [text] * (size // (len(json.dumps(text)) + 2))


def long(text: str, size: int) -> str:
    return text * (size // len(text.encode()))


def body(name: str, size: int) -> dict | list:
    """Returns the content of a request of about `size` bytes."""
    words = "the quick brown fox "
    marks = "".join(chr(c) for c in (0x327, 0x301, 0x315, 0x323))
    texts = {
        "words": long(words, size), "letter": long("a", size), "dots": long(".", size), "marks": long(marks, size),
        "spaces": long(" ", size), "ideographs": long("漢", size), "masks": long("[MASK]", size),
        "tall": long("\ufdfa", size),
    }
    if name in texts:
        return {"inputs": texts[name], "truncate": True}
    match name:
        case "empty texts":
            return {"inputs": many("", size), "truncate": True}
        case "short texts":
            return {"inputs": many("a b", size), "truncate": True}
        case "full texts":  # each has as many tokens as a pass
            return {"inputs": many("a " * 500, size), "truncate": True}
        case "unknown member":
            return {"inputs": "a fox", "more": [[]] * (size // 4)}
        case _:
            raise ValueError(name)


TEXTS = ("words", "letter", "dots", "marks", "spaces", "ideographs", "masks", "tall", "empty texts", "short texts",
         "full texts", "unknown member")


def requests() -> dict[str, tuple[str, object]]:
    """Returns, for each name of a shape, its route and a function that makes a body of a given size."""
    shapes = {}

    def add(route: str, name: str, make) -> None:
        shapes[f"{route} {name}"] = (route, make)

    def renamed(name: str, size: int) -> dict:
        return {"input": body(name, size)["inputs"]}

    for route in ("/embed", "/embed_all", "/tokenize"):
        for name in TEXTS:
            add(route, name, lambda size, name=name: body(name, size))
    for name in ("words", "tall", "short texts", "full texts"):
        add("/v1/embeddings", name, lambda size, name=name: renamed(name, size) | {"truncate": True})
        add("/api/embed", name, lambda size, name=name: renamed(name, size))
        add("/v2/embed", name, lambda size, name=name: {
            "texts": body(name, size)["inputs"] if isinstance(body(name, size)["inputs"], list)
            else [body(name, size)["inputs"]],
            "input_type": "search_query", "embedding_types": ["float"], "model": "built-in"})
        add("/vertex", name, lambda size, name=name: {
            "instances": [{"inputs": text, "truncate": True} for text in body(name, size // 10)["inputs"]]
            if isinstance(body(name, size)["inputs"], list) else [body(name, size)]})
    for name in ("words", "tall"):
        add("/rerank", f"query of {name}", lambda size, name=name: {
            "query": body(name, size // 2)["inputs"], "texts": many("", size // 2), "truncate": True})
        add("/rerank", f"texts of {name}", lambda size, name=name: {
            "query": "a fox", "texts": [body(name, size)["inputs"]], "truncate": True})
        add("/v1/rerank", f"query of {name}", lambda size, name=name: {
            "query": body(name, size // 2)["inputs"], "documents": many("", size // 2)})
    add("/similarity", "short texts", lambda size: {
        "inputs": {"source_sentence": "a fox", "sentences": many("a b", size)}})
    add("/decode", "ids", lambda size: {"ids": [[5] * (size // 3)]})
    return shapes


class Server:
    def __init__(self, folder: str, *options: str):
        self.path = f"{folder}/server"
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--threads", "2", "--listen", f"unix:{self.path}", "--max-body",
             str(SIZE + 1000), *options],
            stderr=subprocess.PIPE, text=True)
        while self.process.stderr.readline() != "bert-infer: note: ready\n":
            assert self.process.poll() is None
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def memory(self) -> float:
        """Returns the server's anonymous memory in MB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:")) / 1024

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, route: str, sent: bytes) -> tuple[int, float, float]:
        """Returns the status, the seconds of CPU, and the largest memory in MB during the request."""
        most, is_over = 0.0, threading.Event()

        def watch() -> None:
            nonlocal most
            while not is_over.wait(0.002) and self.process.poll() is None:
                most = max(most, self.memory())

        watcher = threading.Thread(target=watch)
        begin = self.cpu()
        watcher.start()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(300)
            connection.connect(self.path)
            connection.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                               % (route.encode(), len(sent)) + sent)
            head = connection.recv(65536)
            while connection.recv(1 << 20):
                pass
        is_over.set()
        watcher.join()
        return int(head[9:12]), self.cpu() - begin, most

    def ask_until_it_has_room(self, route: str, sent: bytes) -> tuple[int, float, float]:
        """As ask. Asks again after 503, because a thread may still hold the memory of the answer before this one."""
        for _ in range(5):
            asked = self.ask(route, sent)
            if asked[0] != 503:
                break
            time.sleep(1)  # Retry-After
        return asked


class HostileBodies(unittest.TestCase):
    def test_each_costs_what_its_size_allows(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            server = Server(folder, "--memory-limit", str(LIMIT))
            self.addCleanup(server.process.stderr.close)
            self.addCleanup(server.process.wait)
            self.addCleanup(server.process.terminate)
            server.ask("/embed", json.dumps({"inputs": ["the quick brown fox " * 200] * 8, "truncate": True}).encode())
            for name, (route, make) in share.of(requests().items(), 3):
                with self.subTest(shape=name):
                    idle = server.memory()
                    half = server.ask(route, json.dumps(make(SIZE // 2), ensure_ascii=False).encode())
                    whole = server.ask_until_it_has_room(
                        route, json.dumps(make(SIZE), ensure_ascii=False).encode())
                    print(f"{name:34} {half[0]} {whole[0]}  {half[1]:6.2f} {whole[1]:6.2f} s  "
                          f"{half[2] - idle:6.1f} {whole[2] - idle:6.1f} MB of {whole[2]:.0f}", flush=True)
                    self.assertIn(whole[0], (200, 400, 413, 422))
                    self.assertLess(whole[1], 2.3 * half[1] + 0.5)
                    self.assertLess(whole[2], LIMIT)
            self.assertIsNone(server.process.poll())

    def test_redactions_cost_what_their_size_allows(self) -> None:
        """Tries searches, matches and words of entities at a quarter, a half and the whole of the largest text."""
        shapes = {
            "letter": lambda size: "a" * (size - 1) + "@",
            "digits": lambda size: "7" * size,
            "words of entities": lambda size: "fox_" * (size // 40),  # many windows, as the model has few positions
            "entities": lambda size: "fox " * (size // 40),
            "texts": lambda size: ["a" * 999 + "@"] * (size // 1000),
        }
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.environ["BERT_TINY_MODELS"], folder], check=True)
            server = Server(folder, "--memory-limit", str(LIMIT), f"--model={folder}/firing-tagger",
                            r"--redact-expression=EMAIL=[\w.+-]+@[\w-]+\.[\w.-]+", "--redact-expression=DIGIT=[0-9]")
            self.addCleanup(server.process.stderr.close)
            self.addCleanup(server.process.wait)
            self.addCleanup(server.process.terminate)
            for name, text in shapes.items():
                with self.subTest(shape=name):
                    bodies = [json.dumps({"input": text(size)}).encode() for size in (60_000, 120_000, 240_000)]
                    asked = [server.ask_until_it_has_room("/v1/redact", body) for body in bodies]
                    print(f"{name:34} " + "  ".join(f"{status} {seconds:.2f} s" for status, seconds, _ in asked))
                    for (_, before, _), (status, seconds, memory) in zip(asked, asked[1:]):
                        self.assertIn(status, (200, 413))
                        self.assertLess(seconds, 2.5 * before + 0.3)
                        self.assertLess(memory, LIMIT)


if __name__ == "__main__":
    unittest.main()
