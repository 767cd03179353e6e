"""A hub on localhost that behaves like the real one. A test can make it broken or hostile.

It has two servers: the hub itself (the API and resolve/), and the storage of large files at another port, to which
resolve/ redirects. Every request is recorded. Then `fault` is called with (handler, kind, path), where kind is info,
tree, resolve or storage. `fault` may answer the request and return True.
"""

import hashlib
import json
import re
import socket
import ssl
import threading
import urllib.parse
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LARGE = (".safetensors", ".bin", ".pt", ".onnx", ".gguf")  # files in the storage of large files, by SHA-256


def git_blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise a body waits 40 ms for its head's acknowledgement
    hub: "HubServer"

    def log_message(self, *_: Any) -> None:
        pass

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, ssl.SSLError):
            pass  # some tests make the client leave

    def kind_and_path(self) -> tuple[str, str]:
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if path.startswith("/storage/"):
            return "storage", path.removeprefix("/storage/")
        if found := re.search(r"/(revision|tree)/(.*)", path):
            return {"revision": "info", "tree": "tree"}[found[1]], found[2]
        if found := re.search(r"/resolve/[^/]*/(.*)", path):
            return "resolve", found[1]
        return "other", path

    def do_GET(self) -> None:
        self.hub.requests.append((self.server.server_port, self.path, dict(self.headers)))
        kind, path = self.kind_and_path()
        if self.hub.fault is not None and self.hub.fault(self, kind, path):
            return
        {"info": self.info, "tree": self.tree, "resolve": self.resolve, "storage": self.storage}.get(
            kind, lambda _: self.answer(404))(path)

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            if value:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def raw(self, text: bytes) -> None:
        """Writes these bytes instead of an answer and closes the connection."""
        self.wfile.write(text)
        self.close()

    def close(self) -> None:
        self.wfile.flush()
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def model(self) -> dict[str, bytes] | None:
        found = re.match(r"/(?:api/models/)?([^/]+(?:/[^/]+)?)/(?:revision|tree|resolve)/", self.path)
        return self.hub.models.get(found[1]) if found else None

    def info(self, revision: str) -> None:
        if self.model() is None:
            return self.answer(401, b'{"error":"Invalid username or password."}', X_Error_Code="RepoNotFound",
                               X_Error_Message="Repository not found")
        if revision not in self.hub.revisions:
            return self.answer(404, X_Error_Code="RevisionNotFound", X_Error_Message=f"Invalid rev id: {revision}")
        body = json.dumps({"id": "x", "sha": self.hub.revisions[revision], "siblings": []}).encode()
        return self.answer(200, body, X_Repo_Commit=self.hub.revisions[revision])

    def tree(self, _: str) -> None:
        model = self.model()
        assert model is not None
        files = [self.hub.entry(path, content) for path, content in model.items()]
        files += [{"type": "directory", "oid": "0" * 40, "size": 0, "path": "onnx"}]
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        begin, size = int(query.get("cursor", ["0"])[0]), self.hub.page_size
        link = ""
        if begin + size < len(files):
            address = f"{self.hub.endpoint}{self.path.split('?')[0]}?recursive=true&cursor={begin + size}"
            link = f'<{address}>; rel="next"'
        self.answer(200, json.dumps(files[begin:begin + size]).encode(), Link=link)

    def resolve(self, path: str) -> None:
        model = self.model()
        if model is not None and self.hub.fault is not None:
            model = model | self.hub.replaced
        if model is None or path not in model:
            return self.answer(404, X_Error_Code="EntryNotFound", X_Error_Message="Entry not found")
        content, name = model[path], self.path.split("/resolve/")[0]
        headers = {"X_Repo_Commit": self.hub.revisions["main"]}
        if not path.endswith(LARGE):
            return self.bytes_of(content, **headers, ETag=f'"{git_blob(content)}"')
        location = f"{self.hub.storage_address}/storage{name}/{urllib.parse.quote(path)}?signature=abc"
        return self.answer(302, b"Found. Redirecting", Location=location, X_Linked_Size=str(len(content)),
                           X_Linked_ETag=f'"{hashlib.sha256(content).hexdigest()}"', **headers)

    def storage(self, path: str) -> None:
        model, file = "/".join(path.split("/")[:2]), "/".join(path.split("/")[2:])
        self.bytes_of(self.hub.models[model][file])

    def begin(self) -> int:
        """Returns the first byte for which the request asks."""
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return int(found[1]) if found else 0

    def bytes_of(self, content: bytes, **headers: str) -> None:
        begin = self.begin()
        if begin == 0 or not self.hub.has_ranges:
            return self.answer(200, content, **headers)
        if begin >= len(content):
            return self.answer(416, Content_Range=f"bytes */{len(content)}")
        content_range = f"bytes {begin}-{len(content) - 1}/{len(content)}"
        return self.answer(206, content[begin:], Content_Range=content_range, **headers)


class HubServer:
    """The two servers. `models` has each model's files by its name, `revisions` each revision's commit by its name."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.models: dict[str, dict[str, bytes]] = {}
        commit = hashlib.sha1(b"a commit", usedforsecurity=False).hexdigest()
        self.revisions = {"main": commit, "v1.0": commit, "refs/pr/1": commit, commit: commit}
        self.page_size, self.has_ranges = 5, True
        self.replaced: dict[str, bytes] = {}  # files that are served instead of the models' files
        self.fault: Callable[[Handler, str, str], bool] | None = None
        self.requests: list[tuple[int, str, dict[str, str]]] = []
        handler = type("OfThisHub", (Handler,), {"hub": self})
        scheme = "http" if context is None else "https"
        self.servers = [ThreadingHTTPServer(("127.0.0.1", 0), handler) for _ in range(2)]
        for server in self.servers:
            if context is not None:
                server.socket = context.wrap_socket(server.socket, server_side=True)
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.endpoint, self.storage_address = (f"{scheme}://127.0.0.1:{s.server_port}" for s in self.servers)

    @property
    def commit(self) -> str:
        return self.revisions["main"]

    @property
    def storage_port(self) -> int:
        return self.servers[1].server_port

    def close(self) -> None:
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def entry(self, path: str, content: bytes) -> dict[str, Any]:
        """Returns the file's entry as in the answer of the API's tree."""
        if not path.endswith(LARGE):
            return {"type": "file", "oid": git_blob(content), "size": len(content), "path": path}
        pointer = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
        return {"type": "file", "oid": "1" * 40, "size": len(content), "lfs": pointer, "path": path}
