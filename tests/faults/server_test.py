"""Makes allocations of `bert-infer serve` fail while it answers a request: each in turn, alone, with the next 20, and
with all later ones until the client has its answer. The request must get its answer or an error, or lose its
connection. The next answer must have the right bits. One allocation in twenty fails, chosen by share.py."""

import json
import mmap
import os
import socket
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import share

PROGRAM = Path(os.environ["BERT_INFER_PROGRAM"])
SHIM = Path(os.environ["BERT_FAULTS_SHIM"])
DATA = Path(os.environ.get("BERT_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))
CLASSIFIER = DATA / "checkpoint" / "bert-tiny-own-sst2"
ALL = 2**64 - 1
FAILING = {"alone": 1, "with the next 20": 21, "with all that follow": ALL}
ERRORS = {503}
TIMES = {"queue_ms", "tokenization_ms", "inference_ms"}

TEXTS = ["the quick brown fox", "a dog", "the sea"]
DOCUMENTS = {"query": "a fox", "documents": TEXTS}
ROUTES = {
    "embed": ("/embed", {"inputs": TEXTS}),
    "a large body": ("/embed", {"inputs": ["fox " * 5000], "truncate": True}),
    "a wrong body": ("/embed", {"inputs": 5}),
    "embed_all": ("/embed_all", {"inputs": TEXTS[0]}),
    "openai": ("/v1/embeddings", {"input": TEXTS, "encoding_format": "base64"}),
    "cohere": ("/v2/embed", {"texts": TEXTS, "embedding_types": ["float", "int8"]}),
    "rerank": ("/rerank", {"query": "a fox", "texts": TEXTS}),
    "cohere rerank": ("/v2/rerank", DOCUMENTS),
    "tokenize": ("/tokenize", {"inputs": TEXTS}),
    "similarity": ("/similarity", {"inputs": {"source_sentence": "a fox", "sentences": TEXTS}}),
    "health": ("/health", None),
    "info": ("/info", None),
    "models": ("/v1/models", None),
    "metrics": ("/metrics", None),
    "document": ("/api-doc/openapi.json", None),
    "no route": ("/no-such-route", {}),
}
if CLASSIFIER.is_dir():
    ROUTES["predict"] = ("/predict", {"inputs": [["a lovely film"], ["dull"]]})
    ROUTES["vertex"] = ("/models/classifier/vertex", {"instances": [{"inputs": "lovely"}, {"inputs": "dull"}]})


class Server:
    def __init__(self, folder: Path):
        self.path = str(folder / "socket")
        self.log = (folder / "log").open("a+")
        numbers = folder / "numbers"
        numbers.write_bytes(bytes(24))
        with numbers.open("r+b") as file:
            self.numbers = mmap.mmap(file.fileno(), 24)
        command = [PROGRAM, "serve", "--threads", "1", "--listen", f"unix:{self.path}", "--log", "json"]
        command += ["--model", "built-in="]
        if CLASSIFIER.is_dir():
            command += ["--model", f"classifier={CLASSIFIER}"]
        environment = {
            "PATH": os.environ["PATH"], "LD_PRELOAD": str(SHIM), "BERT_FAULT": "memory:0:ENOMEM",
            "BERT_FAULT_NUMBERS": str(numbers),
        }
        self.process = subprocess.Popen(command, stderr=self.log, env=environment)
        for _ in range(1200):
            try:
                # Digests are computed after the start, and answers then contain them.
                metrics = self.ask("/metrics", None)[1].decode()
                if metrics.count("bert_model_info{") == command.count("--model"):
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise RuntimeError("the server does not start: " + self.printed())

    def printed(self) -> str:
        self.log.seek(0)
        return "".join(line for line in self.log if not line.startswith("{"))

    def end(self) -> int:
        self.process.terminate()
        try:
            return self.process.wait(30)
        finally:
            self.process.kill()
            self.process.wait()
            self.numbers.close()
            self.log.close()

    def fail(self, first: int, failing: int) -> None:
        struct.pack_into("<Q", self.numbers, 8, 0)
        struct.pack_into("<Q", self.numbers, 0, 0)
        struct.pack_into("<Q", self.numbers, 16, failing)
        struct.pack_into("<Q", self.numbers, 8, first)

    def calls(self) -> int:
        return struct.unpack_from("<Q", self.numbers, 0)[0]

    def ask(self, path: str, body: object) -> tuple[int, bytes]:
        """Returns the answer's status and body, or status 0 if the connection ended without an answer."""
        sent = b"" if body is None else json.dumps(body).encode()
        method = "GET" if body is None else "POST"
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(sent)}\r\n\r\n"
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(self.path)
            received = b""
            try:
                connection.sendall(head.encode() + sent)
                while b"\r\n\r\n" not in received:
                    more = connection.recv(1 << 16)
                    if not more:
                        return 0, received
                    received += more
                fields, answer = received.split(b"\r\n\r\n", 1)
                lines = fields.lower().split(b"\r\n")
                length = next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
                while len(answer) < length:
                    more = connection.recv(1 << 16)
                    if not more:
                        return 0, answer
                    answer += more
            except (ConnectionResetError, BrokenPipeError):
                return 0, b""
            return int(fields.split()[1]), answer


def without_times(name: str, body: bytes) -> object:
    """Returns the parts of an answer that are the same each time."""
    if name == "metrics":
        return [line for line in body.decode().splitlines() if line.startswith("#") and "failure" not in line]
    if not body:
        return body
    answer = json.loads(body)
    if isinstance(answer, dict):
        answer.pop("id", None)
        answer["compute"] = {k: v for k, v in answer.get("compute", {}).items() if k not in TIMES}
    return answer


class ServerFaults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.server = Server(self.folder)
        self.addCleanup(self.server.process.kill)

    def tearDown(self):
        status = self.server.end()
        self.assertEqual(status, 0)

    def metric(self, name: str) -> float:
        lines = self.server.ask("/metrics", None)[1].decode().splitlines()
        return next(float(line.split()[-1]) for line in lines if line.startswith(name))

    def check(self, name: str, first: int, failing: int, expected: tuple[int, object]) -> int:
        """Sends a request with failing allocations, and one after it. Returns the status of the first."""
        path, body = ROUTES[name]
        self.server.fail(first, failing)
        status, answer = self.server.ask(path, body)
        self.server.fail(0, 0)
        where = f"{name}, allocation {first}, {failing} fail: {status} {answer[:200]!r}"
        self.assertIsNone(self.server.process.poll(), f"{where}: the server ended\n{self.server.printed()[-2000:]}")
        if status == expected[0]:
            self.assertEqual(without_times(name, answer), expected[1], where)
        else:
            self.assertIn(status, ERRORS | {0}, where)
        next_status, answer = self.server.ask(path, body)
        self.assertEqual((next_status, without_times(name, answer)), expected, f"{where}: the next answer differs")
        return status

    def expected(self, name: str) -> tuple[tuple[int, object], int]:
        """Returns the answer of a route, and the number of allocations until it comes."""
        path, body = ROUTES[name]
        calls = []
        for _ in range(4):  # the first requests cannot reuse the memory of a connection
            self.server.fail(0, 0)
            status, answer = self.server.ask(path, body)
            calls.append(self.server.calls())
        return (status, without_times(name, answer)), max(calls[1:])

    def test_each_allocation(self):
        runs = 0
        for name in ROUTES:
            with self.subTest(name):
                expected, calls = self.expected(name)
                sites = {*range(1, min(calls, 8)), *share.of(range(1, calls + 2), 20, name)}
                for site in sorted(sites):
                    for failing in FAILING.values():
                        self.check(name, site, failing, expected)
                        runs += 1
        print(f"{runs} requests with failing allocations", flush=True)
        time.sleep(0.7)  # by then all other connections are closed
        self.assertEqual((self.metric("te_queue_size"), self.metric("bert_connections")), (0, 1))


if __name__ == "__main__":
    unittest.main()
