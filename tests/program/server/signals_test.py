"""Tests signals to a server that computes or that loads its models again. SIGTERM_MOMENTS is the number of random
moments at which SIGTERM comes (default 6); FAULTS_SEED chooses them (tests/faults/share.py)."""

import json
import os
import random
import shutil
import signal
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
MOMENTS = int(os.environ.get("SIGTERM_MOMENTS", "6"))
BUILTIN = Path(__file__).parents[3] / "models" / "builtin"


class Signals(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "server"
        self.keys = Path(folder.name) / "keys"
        self.keys.write_text("key")
        self.start()

    def start(self, *more: str) -> None:
        command = [PROGRAM, "serve", "--listen", f"unix:{self.path}", "--threads", "1", "--api-key-file", self.keys]
        self.server = subprocess.Popen([*command, *more], stderr=subprocess.PIPE, text=True)
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

    def get(self, path: str) -> str:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.path))
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            return b"".join(iter(lambda: connection.recv(65536), b"")).decode()

    def metric(self, name: str) -> float:
        text = self.get("/metrics")
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

    def test_requests_are_served_while_a_balancer_learns_that_it_ends(self) -> None:
        self.server.kill()
        self.server.wait()
        self.start("--drain-delay", "2")
        self.server.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        while not self.get("/ready").startswith("HTTP/1.1 503"):
            self.assertLess(time.monotonic() - begin, 1)
        self.assertEqual(self.ask("/embed", {"inputs": "stone"}).recv(15), b"HTTP/1.1 200 OK")
        self.assertEqual(self.server.wait(10), 0)
        self.assertGreater(time.monotonic() - begin, 1.9)

    def test_a_request_that_has_begun_is_answered(self) -> None:
        connection = self.ask("/embed", {"inputs": ["stone " * 300] * 20, "truncate": True})
        while self.metric("te_queue_size") == 0:
            time.sleep(0.01)
        self.server.send_signal(signal.SIGINT)
        self.assertEqual(connection.recv(15), b"HTTP/1.1 200 OK")
        while connection.recv(65536):
            pass
        self.assertEqual(self.server.wait(10), 0)

    # The key file is a pipe, which the server refuses to read. A slow load would delay the end too.
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


class ClientsThatLeave(unittest.TestCase):
    def test_the_search_of_a_redaction_ends_with_its_client(self) -> None:
        """Each of 200 expressions takes a tenth of a second, so a text takes 20 seconds."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.environ["BERT_TINY_MODELS"], folder], check=True)
            path, expression = f"{folder}/server", r"--redact-expression=EMAIL=[\w.+-]+@[\w-]+\.[\w.-]+"
            model = f"--model={folder}/firing-tagger"
            command = [PROGRAM, "serve", model, "--listen", f"unix:{path}", "--threads", "1", *[expression] * 200]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
                while server.stderr.readline() != "bert-infer: note: ready\n":
                    self.assertIsNone(server.poll())
                body = json.dumps({"input": "a" * 7_000 + "@"}).encode()
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(path)
                    head = b"POST /v1/redact HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
                    connection.sendall(head % len(body) + body)
                    time.sleep(1)
                begin = time.monotonic()
                server.send_signal(signal.SIGTERM)
                self.assertEqual(server.wait(30), 0)
                self.assertLess(time.monotonic() - begin, 1)


class StalledReader(unittest.TestCase):
    def test_a_reader_of_the_log_that_stalls_delays_nobody(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/server"
            command = [PROGRAM, "serve", "--listen", f"unix:{path}", "--log", "json"]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
                messages = (json.loads(line).get("message") for line in iter(server.stderr.readline, ""))
                self.assertIn("ready", messages)
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


def with_zeros(folder: Path, size: int) -> Path:
    """Returns a copy of the built-in model with this many zeros after its weights, which take time to hash."""
    model = Path(shutil.copytree(BUILTIN, folder / "model"))
    weights = model / "model.safetensors"
    tensors = weights.read_bytes()
    head_size = int.from_bytes(tensors[:8], "little")
    head = json.loads(tensors[8 : 8 + head_size])
    end = len(tensors) - 8 - head_size
    place = [end, end + size]
    head["embeddings.position_ids"] = {"dtype": "I64", "shape": [1, size // 8], "data_offsets": place}
    text = json.dumps(head).encode()
    with weights.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + tensors[8 + head_size :])
        file.truncate(8 + len(text) + end + size)
    return model


class Digests(unittest.TestCase):
    def test_the_digest_of_large_weights_does_not_delay_the_end(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            model = with_zeros(Path(folder), 3 << 30)  # takes seconds to hash
            command = [PROGRAM, "serve", "--listen", f"unix:{folder}/s", "--model", str(model)]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
                lines = iter(server.stderr.readline, "")
                self.assertIn("bert-infer: note: ready\n", lines)
                time.sleep(0.2)
                begin = time.monotonic()
                server.send_signal(signal.SIGTERM)
                self.assertEqual(server.wait(60), 0)
                self.assertLess(time.monotonic() - begin, 1)


class RandomMoments(unittest.TestCase):
    """SIGTERM comes while the server starts, loads, hashes, loads again or answers, beside three busy loops."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.model = with_zeros(self.folder, 1 << 30)
        for _ in range(3):
            busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            self.addCleanup(busy.wait)
            self.addCleanup(busy.kill)

    def client(self, path: str, dice: random.Random, ended: threading.Event) -> None:
        """Sends one request after the other and notes the time of the last answer."""
        while not ended.is_set():
            body = json.dumps({"inputs": ["stone " * dice.choice((1, 50, 300))] * dice.choice((1, 4, 30)),
                               "truncate": True}).encode()
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(path)
                    connection.settimeout(60)
                    connection.sendall(b"POST /embed HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                       b"Content-Length: %d\r\n\r\n" % len(body) + body)
                    while connection.recv(1 << 16):
                        self.answered = time.monotonic()
            except OSError:
                time.sleep(0.01)

    def seconds(self, moment: int) -> tuple[float, float]:
        """Returns how many seconds after the start SIGTERM came, and how many seconds later the process ended, counted
        from SIGTERM or from the last answer."""
        dice = random.Random(f"{share.SEED} {moment}")
        path, self.answered = str(self.folder / f"socket{moment}"), 0.0
        command = [PROGRAM, "serve", "--listen", f"unix:{path}", "--model", str(self.model), "--threads", "2"]
        ended = threading.Event()
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
            clients = [threading.Thread(target=self.client, args=(path, random.Random(dice.random()), ended))
                       for _ in range(dice.choice((0, 1, 3)))]
            for client in clients:
                client.start()
            begin, wait = time.monotonic(), dice.choice((0.05, 0.5, 2)) * dice.random()
            while (left := begin + wait - time.monotonic()) > 0:
                time.sleep(min(left, 0.2 * dice.random()))
                if dice.random() < 0.1 and Path(path).exists():
                    server.send_signal(signal.SIGHUP)
            sent = time.monotonic()
            server.send_signal(signal.SIGTERM)
            try:
                status = server.wait(60)
            except subprocess.TimeoutExpired:
                server.kill()
                raise
            took = time.monotonic() - max(sent, self.answered)
            ended.set()
            for client in clients:
                client.join()
        self.assertIn(status, (0, 1, -signal.SIGTERM))
        print(f"moment {moment}: after {wait:.2f} s, {len(clients)} clients: {took:.2f} s", flush=True)
        return wait, took

    def test_it_ends_within_a_second_of_its_last_answer(self) -> None:
        worst = max((self.seconds(moment) for moment in range(MOMENTS)), key=lambda times: times[1])
        print(f"worst of {MOMENTS} moments: {worst[1]:.2f} s, for SIGTERM after {worst[0]:.2f} s", flush=True)
        self.assertLess(worst[1], 1)


if __name__ == "__main__":
    unittest.main()
