"""Tests weight files that are overwritten or truncated while the server answers. No answer may have wrong bits.
Requests to this model must get 503, another model must answer, and SIGHUP must load the new file. CHANGED_TIMES sets
how often each change is tried (default 5).
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
BUILTIN = Path(__file__).resolve().parents[3] / "models" / "builtin"
TIMES = int(os.environ.get("CHANGED_TIMES", "5"))


class ChangedWeights(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("a", "b"):
            shutil.copytree(BUILTIN, self.folder / name)
        self.path = str(self.folder / "server")
        command = [PROGRAM, "serve", "--threads", "2", "--listen", f"unix:{self.path}",
                   "--model", f"a={self.folder / 'a'}", "--model", f"b={self.folder / 'b'}"]
        self.log = open(self.folder / "log", "w+")
        self.addCleanup(self.log.close)
        self.server = subprocess.Popen(command, stderr=self.log)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        self.wait_for("note: ready")

    def wait_for(self, text: str, count: int = 1) -> None:
        end = time.monotonic() + 60
        while (self.folder / "log").read_text().count(text) < count:
            self.assertIsNone(self.server.poll(), (self.folder / "log").read_text())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def ask(self, model: str, text: str) -> tuple[int, bytes]:
        sent = json.dumps({"inputs": text}).encode()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(self.path)
            connection.sendall(b"POST /models/%s/embed HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                               b"Content-Length: %d\r\n\r\n" % (model.encode(), len(sent)) + sent)
            received = b"".join(iter(lambda: connection.recv(65536), b""))
        head, _, body = received.partition(b"\r\n\r\n")
        return int(head[9:12]), body

    def change(self, damage) -> None:
        texts = ["a fox", "the stock market fell yesterday", "somebody plays a guitar on a roof"]
        expected = {text: self.ask("a", text)[1] for text in texts}
        weights = self.folder / "a" / "model.safetensors"
        good = weights.read_bytes()
        for time_ in range(TIMES):
            statuses, problems, stop = set(), [], threading.Event()

            def client() -> None:
                while not stop.is_set():
                    for text in texts:
                        status, body = self.ask("a", text)
                        statuses.add(status)
                        if status == 200 and body != expected[text]:
                            problems.append(f"other bits: {body[:80]!r}")
                        elif status not in (200, 503):
                            problems.append(f"{status}: {body[:200]!r}")

            clients = [threading.Thread(target=client) for _ in range(2)]
            for one in clients:
                one.start()
            time.sleep(0.02)
            damage(weights, len(good))
            end = time.monotonic() + 30
            while 503 not in statuses and time.monotonic() < end:
                time.sleep(0.01)
            status, body = self.ask("b", "a fox")
            stop.set()
            for one in clients:
                one.join()
            self.assertEqual(problems, [])
            self.assertIn(503, statuses)
            self.assertEqual((status, body), (200, expected["a fox"]))
            self.assertEqual(self.ask("a", "a fox")[0], 503)
            self.assertIsNone(self.server.poll())
            replacement = self.folder / "replacement"
            replacement.write_bytes(good)
            replacement.replace(weights)
            self.server.send_signal(signal.SIGHUP)
            self.wait_for("note: models and keys are loaded again", time_ + 1)
            self.assertEqual(self.ask("a", "a fox"), (200, expected["a fox"]))

    def test_overwritten_in_place(self) -> None:
        def overwrite(file: Path, size: int) -> None:
            with open(file, "r+b") as stream:
                stream.seek(size // 4)
                stream.write(os.urandom(size // 2))

        self.change(overwrite)

    def test_truncated(self) -> None:
        self.change(lambda file, size: os.truncate(file, size // 10))

    def test_truncated_and_grown_again(self) -> None:
        def damage(file: Path, size: int) -> None:
            os.truncate(file, size // 10)
            time.sleep(0.05)
            os.truncate(file, size)

        self.change(damage)


if __name__ == "__main__":
    unittest.main()
