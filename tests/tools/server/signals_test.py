"""What a signal does to a server that is computing, or that is loading again."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
BUILTIN = Path(__file__).parents[3] / "models" / "builtin"


class Signals(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "server"
        self.keys = Path(folder.name) / "keys"
        self.keys.write_text("key")
        command = [PROGRAM, "serve", "--listen", f"unix:{self.path}", "--threads", "1", "--api-key-file", self.keys]
        self.server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.server.stderr.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        while self.server.stderr.readline() != "bert-infer: note: ready\n":
            self.assertIsNone(self.server.poll())

    def ask(self, route: str, body: object) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(self.path))
        connection.settimeout(60)
        self.addCleanup(connection.close)
        sent = json.dumps(body).encode()
        head = f"POST {route} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key\r\nContent-Length: {len(sent)}\r\n\r\n"
        connection.sendall(head.encode() + sent)
        return connection

    def metric(self, name: str) -> float:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.path))
            connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            text = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        return next(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))

    def test_the_first_drains_and_the_second_ends_at_once(self) -> None:
        self.ask("/embed", {"inputs": ["stone " * 150] * 2000, "truncate": True})
        while self.metric("te_queue_size") == 0:
            time.sleep(0.01)
        self.server.send_signal(signal.SIGTERM)
        with self.assertRaises(subprocess.TimeoutExpired):
            self.server.wait(0.3)
        begin = time.monotonic()
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(10), 1)
        self.assertLess(time.monotonic() - begin, 1)
        self.assertFalse(self.path.exists())

    def test_a_request_that_has_begun_is_answered(self) -> None:
        connection = self.ask("/embed", {"inputs": ["stone " * 300] * 20, "truncate": True})
        while self.metric("te_queue_size") == 0:
            time.sleep(0.01)
        self.server.send_signal(signal.SIGINT)
        self.assertEqual(connection.recv(15), b"HTTP/1.1 200 OK")
        while connection.recv(65536):
            pass
        self.assertEqual(self.server.wait(10), 0)

    # A key file without an end, in place of whatever else a reload may wait for.
    def test_a_reload_does_not_delay_the_end(self) -> None:
        self.keys.unlink()
        os.mkfifo(self.keys)
        for _ in range(2):
            self.server.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        begin = time.monotonic()
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(10), 0)
        self.assertLess(time.monotonic() - begin, 2)
        self.assertFalse(self.path.exists())


class StalledReader(unittest.TestCase):
    def test_a_reader_of_the_log_that_stalls_delays_nobody(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/server"
            command = [PROGRAM, "serve", "--listen", f"unix:{path}", "--log", "json"]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
                self.assertIn("bert-infer: note: ready\n", iter(server.stderr.readline, ""))
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(path)
                    connection.settimeout(30)
                    answers = connection.makefile("rb")
                    for _ in range(20):
                        asked = b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n" * 300
                        connection.sendall(asked)
                        read = 0
                        while read < 300:
                            read += b"HTTP/1.1 404" in answers.readline()
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(path)
                    connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    text = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
                dropped = next(line for line in text.splitlines() if line.startswith("bert_log_lines_dropped_total "))
                self.assertGreater(float(dropped.split()[1]), 0)
                begin = time.monotonic()
                server.send_signal(signal.SIGTERM)
                self.assertEqual(server.wait(10), 0)
                self.assertLess(time.monotonic() - begin, 2)


class Digests(unittest.TestCase):
    def test_the_digest_of_large_weights_does_not_delay_the_end(self) -> None:
        """Weights with 3 GB of zeros at their end, which take seconds to hash."""
        with tempfile.TemporaryDirectory() as folder:
            model = shutil.copytree(BUILTIN, Path(folder) / "model")
            weights = model / "model.safetensors"
            tensors = weights.read_bytes()
            head_size = int.from_bytes(tensors[:8], "little")
            head = json.loads(tensors[8 : 8 + head_size])
            size = 3 << 30
            end = len(tensors) - 8 - head_size
            place = [end, end + size]
            head["embeddings.position_ids"] = {"dtype": "I64", "shape": [1, size // 8], "data_offsets": place}
            text = json.dumps(head).encode()
            with weights.open("wb") as file:
                file.write(len(text).to_bytes(8, "little") + text + tensors[8 + head_size :])
                file.truncate(8 + len(text) + end + size)
            command = [PROGRAM, "serve", "--listen", f"unix:{folder}/s", "--model", str(model)]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
                lines = iter(server.stderr.readline, "")
                self.assertIn("bert-infer: note: ready\n", lines)
                time.sleep(0.2)
                begin = time.monotonic()
                server.send_signal(signal.SIGTERM)
                self.assertEqual(server.wait(60), 0)
                self.assertLess(time.monotonic() - begin, 1)


if __name__ == "__main__":
    unittest.main()
