"""Controls a headless Chromium by its DevTools protocol, over two pipes. One start serves many pages."""

import base64
import fcntl
import json
import os
import subprocess
import tempfile
import time


def _pipe():
    """Makes a pipe whose two ends have numbers from 10 on, because Chromium's own ends get the numbers 3 and 4."""
    ends = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return high


class Browser:
    """A Chromium. It reads commands from descriptor 3 and writes answers to descriptor 4; a zero byte ends each of
    them."""

    def __init__(self, program, *options):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, answers = _pipe(), _pipe()
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", *options]
        self._process = subprocess.Popen(
            [*command, f"--user-data-dir={self._profile.name}"],
            pass_fds=(3, 4),
            preexec_fn=lambda: (os.dup2(commands[0], 3), os.dup2(answers[1], 4)),
            stderr=subprocess.DEVNULL,
        )
        os.close(commands[0])
        os.close(answers[1])
        self._commands, self._answers = os.fdopen(commands[1], "wb"), os.fdopen(answers[0], "rb")
        self._number, self._rest = 0, b""

    def close(self):
        self.send("Browser.close")
        self._process.wait()
        self._commands.close()
        self._answers.close()
        self._profile.cleanup()

    def _next(self):
        parts = [self._rest]
        while b"\0" not in parts[-1]:
            part = self._answers.read1(1 << 20)
            if not part:
                raise RuntimeError("Chromium ended")
            parts.append(part)
        message, self._rest = b"".join(parts).split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session=None, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        self._commands.write(json.dumps(message).encode() + b"\0")
        self._commands.flush()
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                break
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _open(self, address):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        problem = self.send("Page.navigate", session, url=address).get("errorText")
        if problem:
            raise RuntimeError(f"{address}: {problem}")
        end = time.monotonic() + 120
        while self._evaluate(session, "document.readyState") != "complete":
            if time.monotonic() > end:
                raise RuntimeError(f"{address}: not loaded after 120 s")
            time.sleep(0.02)
        return target, session

    def _evaluate(self, session, expression):
        return self.send("Runtime.evaluate", session, expression=expression, returnByValue=True)["result"].get("value")

    def document(self, address):
        """Returns the document's HTML after its scripts have run."""
        target, session = self._open(address)
        document = self._evaluate(session, "document.documentElement.outerHTML")
        self.send("Target.closeTarget", targetId=target)
        return document

    def printed(self, address):
        """Returns the page as a PDF, on paper of the size that the page asks for."""
        target, session = self._open(address)
        made = self.send("Page.printToPDF", session, printBackground=True, preferCSSPageSize=True)
        self.send("Target.closeTarget", targetId=target)
        return base64.b64decode(made["data"])
