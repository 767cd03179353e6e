"""Starts the program's server at a socket in a new folder."""

import json
import os
import socket
import subprocess
import tempfile
from http.client import HTTPConnection
from typing import Any


class UnixConnection(HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class UnixServer:
    """Serves the built-in model and these directories by their names, until close()."""

    def __init__(self, models: dict[str, str]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        path = f"{self.folder.name}/socket"
        all_models = models | {"built-in": ""}
        named = [part for name, directory in all_models.items() for part in ("--model", f"{name}={directory}")]
        command = [os.environ["BERT_INFER_PROGRAM"], "serve", "--listen", f"unix:{path}", *named]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while "note: ready" not in self.process.stderr.readline():
            assert self.process.poll() is None
        self.connection = UnixConnection(path)

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        self.connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        return response.status, json.loads(response.read())

    def close(self) -> None:
        self.process.terminate()
        self.process.communicate()
        self.connection.close()
        self.folder.cleanup()
