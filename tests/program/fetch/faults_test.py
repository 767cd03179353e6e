"""Tests fetch with a hub that breaks off, lies or attacks, with one row for each fault. Each fault must give status 1
and one line that names it, and leave nothing in the cache that a loader takes for a model. Without the fault the same
command must then succeed, and the model must give the vectors of its origin."""

import gzip
import hashlib
import json
import time
import unittest
from collections.abc import Callable
from typing import Any

from fetch_harness import NAME, FetchCase
from hub_server import Handler

Action = Callable[[Handler, str], Any]
WEIGHTS = "model.safetensors"


class Fault:
    """One fault of the hub. `action` answers the requests of the kind `kind`, or only those for the file `path`. `says`
    are words of the error's line; `variables` are set in the program's environment."""

    def __init__(self, kind: str, action: Action, *says: str, path: str = "", **variables: str) -> None:
        self.kind, self.action, self.says, self.path, self.variables = kind, action, says, path, variables

    def __call__(self, handler: Handler, kind: str, path: str) -> bool:
        if kind != self.kind or (self.path and not path.endswith(self.path)):
            return False
        self.action(handler, path)
        return True


def status(code: int, body: bytes = b"", **headers: str) -> Action:
    return lambda handler, _: handler.answer(code, body, **headers)


def text(body: bytes) -> Action:
    return status(200, body)


def raw(body: bytes) -> Action:
    return lambda handler, _: handler.raw(body)


def closes(handler: Handler, _: str) -> None:
    handler.close()


def hangs(handler: Handler, _: str) -> None:
    time.sleep(3)
    handler.close()


def drips(handler: Handler, _: str) -> None:
    """Sends single bytes with pauses, for longer than the test's time limit."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    for _ in range(40):
        handler.wfile.write(b"[")
        handler.wfile.flush()
        time.sleep(0.1)
    handler.close()


def drips_the_file(handler: Handler, path: str) -> None:
    body = content(handler, path)
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
    for at in range(40):
        handler.wfile.write(body[at:at + 1])
        handler.wfile.flush()
        time.sleep(0.1)
    handler.close()


def redirect(location: str) -> Action:
    return lambda handler, _: handler.answer(302, Location=location)


def redirect_to_itself(handler: Handler, _: str) -> None:
    handler.answer(307, Location=handler.path)


def content(handler: Handler, path: str) -> bytes:
    if path.startswith(NAME):
        path = path[len(NAME) + 1:]
    return handler.hub.models[NAME][path]


def changed(change: Callable[[bytes], bytes]) -> Action:
    """Answers with changed bytes of the file and the length of the changed bytes."""
    return lambda handler, path: handler.answer(200, change(content(handler, path)))


def cut_after(count: int) -> Action:
    def action(handler: Handler, path: str) -> None:
        body = content(handler, path)
        handler.raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:count])
    return action


def too_long(handler: Handler, path: str) -> None:
    """Sends the file and four more bytes in chunks, without saying how long the whole is."""
    body = content(handler, path) + b"more"
    handler.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))


def too_short(handler: Handler, path: str) -> None:
    body = content(handler, path)[:-5]
    handler.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))


def bad_chunks(handler: Handler, _: str) -> None:
    handler.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnothing like a size\r\n[]\r\n0\r\n\r\n")


def resolve_with(**headers: str) -> Action:
    """Answers as the hub does for a large file, with a redirect, but with other headers."""
    def action(handler: Handler, path: str) -> None:
        body = content(handler, path)
        usual = {"Location": f"{handler.hub.storage_address}/storage/{NAME}/{path}", "X_Linked_Size": str(len(body)),
                 "X_Linked_Etag": f'"{hashlib.sha256(body).hexdigest()}"'}
        handler.answer(302, **usual | headers)
    return action


def tree(change: Callable[[list[Any]], Any]) -> Action:
    """Answers with a changed list of the files, on one page."""
    def action(handler: Handler, _: str) -> None:
        files = [handler.hub.entry(path, body) for path, body in handler.hub.models[NAME].items()]
        handler.answer(200, json.dumps(change(files)).encode())
    return action


def with_entry(**fields: Any) -> Action:
    """Adds a file with these fields to the list."""
    return tree(lambda files: [*files, {"type": "file", "oid": "2" * 40, "size": 1, "path": "extra.txt"} | fields])


def without(*ends: str) -> Action:
    return tree(lambda files: [file for file in files if not file["path"].endswith(ends)])


def file_with(path: str, body: bytes) -> Action:
    """Lists and serves another content for this file, so that the list and the file agree."""
    def action(handler: Handler, _: str) -> None:
        handler.hub.replaced = {path: body}
        model = handler.hub.models[NAME] | handler.hub.replaced
        del model[WEIGHTS]
        handler.answer(200, json.dumps([handler.hub.entry(name, data) for name, data in model.items()]).encode())
    return action


def endless_pages(handler: Handler, _: str) -> None:
    handler.answer(200, b"[]", Link=f'<{handler.hub.endpoint}{handler.path}>; rel="next"')


def long_pages(handler: Handler, _: str) -> None:
    handler.answer(200, b"[]" + b" " * (5 << 20), Link=f'<{handler.hub.endpoint}{handler.path}>; rel="next"')


SOON = {"HF_HUB_DOWNLOAD_TIMEOUT": "1"}
INDEX = "model.safetensors.index.json"
FAULTS: dict[str, Fault] = {
    # Faults of the request for a revision's commit.
    "info closes at once": Fault("info", closes, "/revision/main", "gave up after 1 try"),
    "info hangs": Fault("info", hangs, "gave up after 1 try", **SOON),
    "info drips": Fault("info", drips, "gave up after 1 try", **SOON),
    "info is no HTTP": Fault("info", raw(b"220 welcome\r\n"), "gave up after 1 try"),
    "info 401": Fault("info", status(401), "answered 401", "there is no such model, or it is private and needs"),
    "info 403": Fault("info", status(403), "answered 403", "the model is gated: accept its terms"),
    "info gated": Fault("info", status(403, X_Error_Code="GatedRepo", X_Error_Message="Access is restricted"),
                        "which says 'Access is restricted'", "the model is gated"),
    "info 404": Fault("info", status(404), "answered 404", "there is no such model"),
    "info of no such revision": Fault("info", status(404, X_Error_Code="RevisionNotFound"), "no such revision"),
    "info 418": Fault("info", status(418, b"tea"), "answered 418, which says 'tea', expected 200"),
    "info 429": Fault("info", status(429, Retry_After="0"), "answered 429", "gave up after 1 try"),
    "info 500": Fault("info", status(500), "answered 500", "gave up after 1 try"),
    "info 503": Fault("info", status(503, b"<html>sorry</html>"), "answered 503; gave up after 1 try"),
    "info 204": Fault("info", status(204), "answered 204, expected 200"),
    "info is no JSON": Fault("info", text(b"hello"), "/revision/main", "expected"),
    "info is cut JSON": Fault("info", text(b'{"sha": "abc'), "/revision/main", "a string that never ends"),
    "info is empty": Fault("info", text(b""), "/revision/main", "expected"),
    "info is an array": Fault("info", text(b"[]"), "expected an object"),
    "info is deep": Fault("info", text(b'{"a":' + b"[" * 100_000), "/revision/main", "64"),
    "info is huge": Fault("info", text(b'{"a": "' + b"x" * (17 << 20) + b'"}'), "has more than 16777216 bytes"),
    "info has no commit": Fault("info", text(b'{"id": "x"}'), "sha"),
    "info has a number as its commit": Fault("info", text(b'{"sha": 7}'), "sha", "expected"),
    "info has a path as its commit": Fault("info", text(b'{"sha": "../../../etc"}'), "expected a commit"),
    "info has its commit twice": Fault("info", text(b'{"sha": "a", "sha": "b"}'), "sha"),
    "info in bad chunks": Fault("info", bad_chunks, "gave up after 1 try"),
    "info redirects without end": Fault("info", redirect_to_itself, "more than 10 redirects"),
    "info redirects to a file": Fault("info", redirect("file:///etc/passwd"), "redirect to 'file:///etc/passwd'",
                                      "expected an address of http or https"),
    "info redirects to ftp": Fault("info", redirect("ftp://127.0.0.1/x"), "redirect to 'ftp://127.0.0.1/x'"),
    "info redirects with a user": Fault("info", redirect("http://user:secret@127.0.0.1/x"), "without a user"),
    "info redirects to nothing": Fault("info", redirect("http://"), "redirect to 'http://'"),
    "info redirects with a backslash": Fault("info", redirect("http://127.0.0.1\\@example.org/"), "redirect to"),
    "info has a huge header": Fault("info", raw(b"HTTP/1.1 200 OK\r\n" + b"X-A: %s\r\n" % (b"y" * 1000) * 99),
                                    "more than 65536 bytes"),
    # Faults of the list of files.
    "tree 404": Fault("tree", status(404), "/tree/", "answered 404"),
    "tree 500": Fault("tree", status(500), "/tree/", "answered 500"),
    "tree is an object": Fault("tree", text(b'{"a": 1}'), "expected an array of files"),
    "tree of numbers": Fault("tree", text(b"[1]"), "[0]", "expected an object"),
    "tree is empty": Fault("tree", text(b"[]"), "no weights"),
    "tree has a path above": Fault("tree", with_entry(path="../config.json"), '"../config.json"',
                                   "expected a path below the model's folder"),
    "tree has a path above inside": Fault("tree", with_entry(path="a/../../b"), "expected a path below"),
    "tree has an absolute path": Fault("tree", with_entry(path="/etc/passwd"), "expected a path below"),
    "tree has a path with a line end": Fault("tree", with_entry(path="a\nb"), "expected a path below"),
    "tree has a path with a zero byte": Fault("tree", with_entry(path="a\0b"), "expected a path below"),
    "tree has a path with a backslash": Fault("tree", with_entry(path="..\\x"), "expected a path below"),
    "tree has an empty part": Fault("tree", with_entry(path="a//b"), "expected a path below"),
    "tree has an endless path": Fault("tree", with_entry(path="a/" * 3000 + "b"), "expected a path below"),
    "tree has a path twice": Fault("tree", with_entry(path="config.json"), "twice"),
    "tree has a path as a digest": Fault("tree", with_entry(oid="../../../x"), "expected 40 hexadecimal digits"),
    "tree has a short digest": Fault("tree", with_entry(lfs={"oid": "ab", "size": 1}), "expected 64 hexadecimal"),
    "tree has a negative size": Fault("tree", with_entry(size=-1), "size"),
    "tree has an endless size": Fault("tree", with_entry(size=1 << 62), "size"),
    "tree has a size as text": Fault("tree", with_entry(size="1"), "size"),
    "tree goes on at no address": Fault(
        "tree", status(200, b"[]", Link='<file:///x>; rel="next"'), "as the next page, expected an address of http"),
    "tree has many long pages": Fault("tree", long_pages, "has more than 16777216 bytes with the pages before it"),
    "tree goes on without end": Fault("tree", endless_pages, "more than 100 pages"),
    "tree without weights": Fault("tree", without(*(".safetensors", ".bin", ".onnx")), "no weights"),
    "tree with GGUF alone": Fault(
        "tree", tree(lambda files: [{"type": "file", "oid": "3" * 40, "size": 9, "path": "model.gguf"}]),
        "found 'model.gguf'", "expected model.safetensors"),
    "tree needs more than the disk has": Fault(
        "tree", tree(lambda files: [f if f["path"] != WEIGHTS else f | {"lfs": {"oid": "4" * 64, "size": 1 << 42}}
                                    for f in files]), "bytes free, expected"),
    # Faults of a file that git stores.
    "file 404": Fault("resolve", status(404, X_Error_Code="EntryNotFound", X_Error_Message="Entry not found"),
                      "which says 'Entry not found'", path="config.json"),
    "file 403": Fault("resolve", status(403, X_Error_Code="GatedRepo"), "gated", path="config.json"),
    "file closes": Fault("resolve", closes, "gave up after 1 try", path="vocab.txt"),
    "file is another": Fault("resolve", changed(lambda body: body[:-1] + b"?"), "git digest", "expected",
                             path="vocab.txt"),
    "file is longer": Fault("resolve", changed(lambda body: body + b"?"), "found a length of", path="vocab.txt"),
    "file is shorter": Fault("resolve", changed(lambda body: body[:-1]), "found a length of", path="vocab.txt"),
    "file is empty": Fault("resolve", text(b""), "found a length of '0'", path="vocab.txt"),
    "file is compressed": Fault("resolve", lambda handler, path: handler.answer(
        200, gzip.compress(content(handler, path)), Content_Encoding="gzip"), "found a length of", path="vocab.txt"),
    "modules leave the folder": Fault("tree", file_with("modules.json", b'[{"path": "../x", "type": "y"}]'), "path"),
    "a shard leaves the folder": Fault("tree", file_with(INDEX, b'{"weight_map": {"a": "../x.safetensors"}}'),
                                       "expected the name of a file"),
    "a shard is missing": Fault("tree", file_with(INDEX, b'{"weight_map": {"a": "m-1.safetensors"}}'),
                                "names 'm-1.safetensors', which the repository does not have"),
    "an index is no index": Fault("tree", file_with(INDEX, b"[]"), "expected an object"),
    # Faults of the hub's answer for a large file.
    "large file 404": Fault("resolve", status(404), "answered 404", path=WEIGHTS),
    "large file redirects to a file": Fault("resolve", resolve_with(Location="file:///etc/passwd"),
                                            "file:///etc/passwd", path=WEIGHTS),
    "large file says another size": Fault("resolve", resolve_with(X_Linked_Size="12"), "found the size '12'",
                                          path=WEIGHTS),
    "large file says another digest": Fault("resolve", resolve_with(X_Linked_Etag='"' + "5" * 64 + '"'),
                                            "found the digest '555", path=WEIGHTS),
    # Faults of the storage of large files.
    "storage closes": Fault("storage", closes, "gave up after 1 try"),
    "storage refuses": Fault("storage", status(403, b"Request has expired"), "answered 403"),
    "storage 500": Fault("storage", status(500), "answered 500"),
    "storage breaks off after 1 byte": Fault("storage", cut_after(1), "gave up after 1 try"),
    "storage breaks off after 1000 bytes": Fault("storage", cut_after(1000), "gave up after 1 try"),
    "storage drips": Fault("storage", drips_the_file, "gave up after 1 try", **SOON),
    "storage has a file of another length": Fault("storage", drips, "found a length of '1000000'", **SOON),
    "storage hangs": Fault("storage", hangs, "gave up after 1 try", **SOON),
    "storage has another file": Fault("storage", changed(lambda body: body[:-1] + b"?"), "SHA-256", "expected"),
    "storage has a longer file": Fault("storage", changed(lambda body: body + b"?"), "found a length of"),
    "storage has an empty file": Fault("storage", text(b""), "found a length of '0'"),
    "storage says no length, and is too long": Fault("storage", too_long, "found more than"),
    "storage says no length, and is too short": Fault("storage", too_short, "ended after", "gave up after 1 try"),
    "storage in bad chunks": Fault("storage", bad_chunks, "gave up after 1 try"),
    "storage redirects without end": Fault("storage", redirect_to_itself, "more than 10 redirects"),
    "storage answers with a range that nobody asked for": Fault(
        "storage", lambda handler, path: handler.answer(206, content(handler, path), Content_Range="bytes 5-9/10"),
        "found the range 'bytes 5-9/10'"),
}


class Faults(FetchCase):
    def test_each_fault_is_one_line_and_leaves_nothing_that_loads(self) -> None:
        for name, fault in FAULTS.items():
            with self.subTest(name):
                self.new_cache()
                self.hub.fault = fault
                self.expect_error(self.fetch(**fault.variables), *fault.says)
                self.expect_nothing_to_load()
                self.hub.fault = None
                self.assertEqual(self.fetch().returncode, 0)
                self.expect_whole()

    def test_a_fault_that_passes_is_mended_by_the_next_try(self) -> None:
        for name in ("info 429", "tree 500", "file closes", "storage 500", "storage breaks off after 1000 bytes"):
            fault, left = FAULTS[name], [2]

            def twice(handler: Handler, kind: str, path: str) -> bool:
                if left[0] == 0 or not fault(handler, kind, path):
                    return False
                left[0] -= 1
                return True

            with self.subTest(name):
                self.new_cache()
                self.hub.fault = twice
                done = self.fetch("--tries", "3", NAME)
                self.assertEqual((done.returncode, left), (0, [0]), done.stderr)
                # libcurl itself repeats a request if the server closed a connection that libcurl had kept open.
                self.assertIn(done.stderr.count("next try in"), (1, 2), done.stderr)
                self.expect_whole()

    def test_a_long_wait_that_the_hub_asks_for_is_told(self) -> None:
        self.hub.fault = Fault("info", status(429, Retry_After="3600"))
        self.expect_error(self.fetch("--quiet", NAME), "the hub asks to wait 3600 seconds")


if __name__ == "__main__":
    unittest.main()
