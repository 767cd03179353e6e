"""Checks that /health is answered while idle clients hold all the connections that the server may have."""

import os
import resource
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"


class Connections(unittest.TestCase):
    def start(self, *options: str, files: int = 0) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = str(Path(folder.name) / "server")
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
        command = [PROGRAM, "serve", "--listen", f"unix:{self.path}", *options]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        while server.stderr.readline() != "bert-infer: note: ready\n":
            self.assertIsNone(server.poll())

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(10)
        connection.connect(self.path)
        self.addCleanup(connection.close)
        return connection

    def check_health_beside(self, idle: int) -> None:
        for i in range(idle):
            connection = self.connect()
            if i % 2:
                connection.sendall(HEALTH)
                self.assertEqual(connection.recv(15), b"HTTP/1.1 200 OK")
        begin = time.monotonic()
        connection = self.connect()
        connection.sendall(HEALTH)
        self.assertEqual(connection.recv(15), b"HTTP/1.1 200 OK")
        self.assertLess(time.monotonic() - begin, 1)

    def test_at_the_limit_of_connections(self) -> None:
        self.start("--max-connections", "20")
        self.check_health_beside(20)

    def test_beyond_the_limit_of_connections(self) -> None:
        self.start("--max-connections", "20")
        self.check_health_beside(200)

    def test_with_few_files(self) -> None:
        self.start(files=64)
        self.check_health_beside(200)


if __name__ == "__main__":
    unittest.main()
