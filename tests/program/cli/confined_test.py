"""Runs the program with a read-only root and as an unprivileged user, as a container does. It must compute, serve, and
write where it may. If it may not write, it must print one line and end with status 1. Skipped, with a line, if nobody
may make namespaces."""

import contextlib
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
WRITE_TINY_MODELS = os.environ["BERT_TINY_MODELS"]
USER = "65534"
# Runs a command in its own mount namespace, where every file system but one folder is read-only, without privileges.
CONFINED = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
awk '{print $5}' /proc/self/mountinfo | grep -vx "$1" | while read -r place; do
  mount -o remount,ro,bind "$place" 2>/dev/null || true
done
! touch /usr/a-file 2>/dev/null
shift
exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set=-all "$@"
"""


def confined(folder: str, *command: str) -> list[str]:
    return ["unshare", "--mount", "bash", "-c", CONFINED, "bash", folder, *command]


def reason_to_skip() -> str:
    if not all(shutil.which(tool) for tool in ("unshare", "setpriv", "mount", "awk")):
        return "no unshare or setpriv"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(confined(folder, "true"), capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"no namespaces here: {done.stderr.strip()[:200]}"


class Confined(unittest.TestCase):
    def setUp(self) -> None:
        if reason := reason_to_skip():
            print(f"SKIPPED: {reason}", flush=True)
            self.skipTest(reason)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        models = self.folder / "models"
        models.mkdir()
        subprocess.run([WRITE_TINY_MODELS, str(models)], check=True)
        shutil.copy(PROGRAM, self.folder / "bert-infer")  # the user may not be able to read PROGRAM itself
        self.writable = self.folder / "writable"
        self.writable.mkdir()
        os.chown(self.writable, int(USER), int(USER))
        for place in (self.folder, models, *models.rglob("*")):
            place.chmod(0o755)
        self.model = str(models / "embedder")

    def run_confined(self, *arguments: str) -> subprocess.CompletedProcess:
        command = confined(str(self.writable), str(self.folder / "bert-infer"), *arguments)
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd="/")

    def test_it_computes_and_writes_where_it_may(self) -> None:
        done = self.run_confined("embed", "--model", self.model, "the fox")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_confined("embed", "a fox").stdout.count("\n"), 1)
        written = self.writable / "quantized"
        done = self.run_confined("quantize", self.model, str(written))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((written / "model.safetensors").stat().st_uid, int(USER))
        done = self.run_confined("embed", "--model", str(written), "--output", str(self.writable / "a.npy"), "the fox")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_it_may_not_write_is_one_line(self) -> None:
        for arguments in (["quantize", self.model, str(self.folder / "elsewhere")],
                          ["embed", "--output", str(self.folder / "a.npy"), "a fox"],
                          ["serve", "--listen", f"unix:{self.folder}/socket"]):
            done = self.run_confined(*arguments)
            self.assertEqual(done.returncode, 1, done.stderr)
            errors = [line for line in done.stderr.splitlines() if " note: " not in line]
            self.assertEqual(len(errors), 1, done.stderr)
            self.assertRegex(errors[0], "Read-only file system|Permission denied")

    def test_it_serves(self) -> None:
        path = self.writable / "socket"
        command = confined(str(self.writable), str(self.folder / "bert-infer"), "serve", "--model", f"m={self.model}",
                           "--listen", f"unix:{path}")
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server, contextlib.ExitStack() as at_end:
            at_end.callback(server.kill)  # if the test fails, the server must not keep it waiting
            self.assertIn("bert-infer: note: ready\n", iter(server.stderr.readline, ""))
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(path))
                connection.sendall(b"POST /embed HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                   b"Content-Length: 19\r\n\r\n" + b'{"inputs": "a fox"}')
                self.assertEqual(connection.recv(15), b"HTTP/1.1 200 OK")
            begin = time.monotonic()
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(10), 0)
            self.assertLess(time.monotonic() - begin, 5)
        self.assertFalse(path.exists())


if __name__ == "__main__":
    unittest.main()
