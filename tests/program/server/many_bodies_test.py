"""Sends large bodies from 400 clients at once to a server with little memory, with and without a budget for bodies.
Each client must get an answer or lose its connection, and the next answer must be right."""

import collections
import json
import os
import resource
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
CLIENTS = 400
LARGE = json.dumps({"inputs": "a fox", "ignored": "x" * 1_900_000}).encode()
TREE = json.dumps({"inputs": "a fox", "ignored": [[1, 2]] * 200_000}).encode()  # large when parsed
SMALL = json.dumps({"inputs": "a fox"}).encode()


def memory(process: int, name: str) -> int:
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name + ":")) * 1024


class ManyBodies(unittest.TestCase):
    def start(self, *options: str, address_space: int = 0) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = str(Path(folder.name) / "server")
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        command = [PROGRAM, "serve", "--threads", "2", "--listen", f"unix:{self.path}", *options]
        self.server = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, preexec_fn=limit if address_space else None)
        self.addCleanup(self.server.stderr.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.terminate)
        while self.server.stderr.readline() != "bert-infer: note: ready\n":
            self.assertIsNone(self.server.poll())

    def ask(self, body: bytes) -> tuple[bytes, bytes]:
        """Returns the answer's status and body, or nothing if the connection ended."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(self.path)
            received = b""
            try:
                connection.sendall(b"POST /embed HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                   b"Content-Length: %d\r\n\r\n" % len(body) + body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the server refused the request before it read the body
            try:
                while more := connection.recv(1 << 16):
                    received += more
            except ConnectionResetError:
                pass
        head, _, answer = received.partition(b"\r\n\r\n")
        return head[9:12], answer

    def statuses(self) -> collections.Counter:
        counts: collections.Counter = collections.Counter()

        def client(number: int) -> None:
            counts[self.ask(LARGE if number % 4 else TREE)[0]] += 1

        threads = [threading.Thread(target=client, args=(i,)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return counts

    def check(self) -> collections.Counter:
        expected = self.ask(SMALL)
        self.assertEqual(expected[0], b"200")
        counts = self.statuses()
        print(dict(counts), flush=True)
        self.assertIsNone(self.server.poll(), "the server ended")
        self.assertEqual(sum(counts.values()), CLIENTS)
        self.assertLessEqual(set(counts), {b"200", b"424", b"429", b"503", b""})
        self.assertEqual(self.ask(SMALL), expected)
        return counts

    def test_beyond_the_budget(self) -> None:
        self.start("--max-bodies", "16000000")
        before = memory(self.server.pid, "RssAnon")
        counts = self.check()
        self.assertGreater(counts[b"429"], 0)
        self.assertGreater(counts[b"200"], 0)
        self.assertEqual(counts[b""], 0)
        peak = memory(self.server.pid, "VmHWM") - memory(self.server.pid, "RssFile") - before
        self.assertLess(peak, 200 * 2**20)

    def test_without_memory(self) -> None:
        self.start()
        needed = memory(self.server.pid, "VmPeak")
        self.server.terminate()
        self.server.wait()
        self.start("--max-bodies", "2000000000", address_space=needed + 150 * 2**20)
        counts = self.check()
        self.assertGreater(counts[b"503"] + counts[b""], 0)


if __name__ == "__main__":
    unittest.main()
