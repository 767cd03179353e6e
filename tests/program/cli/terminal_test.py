"""Checks that a vocabulary cannot control the terminal that shows it. Control characters, and those that set the
direction of text, are escaped on a terminal and written as they are to a file."""

import os
import pty
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
WRITE_TINY_MODELS = os.environ["BERT_TINY_MODELS"]
TOKENS = ["\x1b[31m", "\x9b31m", "\u202e", "\u2066", "\u200f", "\x7f", "\x07"]
FIRST = 20  # the id of TOKENS[0]


class Terminal(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        subprocess.run([WRITE_TINY_MODELS, folder.name], check=True)
        self.model = str(Path(folder.name) / "embedder")
        vocabulary = Path(self.model) / "vocab.txt"
        lines = vocabulary.read_bytes().split(b"\n")
        lines[FIRST : FIRST + len(TOKENS)] = [token.encode() for token in TOKENS]
        vocabulary.write_bytes(b"\n".join(lines))
        self.ids = [str(FIRST + i) for i in range(len(TOKENS))]

    def on_terminal(self, *arguments: str) -> bytes:
        main, other = pty.openpty()
        command = [PROGRAM, *arguments, "--quiet"]
        with subprocess.Popen(command, stdout=other, env=os.environ | {"LC_ALL": "C.UTF-8", "NO_COLOR": "1"}):
            os.close(other)
            shown = b""
            try:
                while part := os.read(main, 65536):
                    shown += part
            except OSError:  # the end of a terminal
                pass
        os.close(main)
        return shown

    def test_decoded_tokens_are_escaped_on_a_terminal_and_nowhere_else(self) -> None:
        command = ["tokenize", "--model", self.model, "--decode", *self.ids]
        shown = self.on_terminal(*command)
        for token in TOKENS:
            self.assertNotIn(token[0].encode(), shown)
        for escaped in (b"\\x1b[31m", b"\\xc2\\x9b31m", b"\\xe2\\x80\\xae", b"\\xe2\\x81\\xa6"):
            self.assertIn(escaped, shown)
        written = subprocess.run([PROGRAM, *command], capture_output=True, check=True).stdout
        for token in TOKENS:
            self.assertIn(token.encode(), written)

    def test_the_table_of_tokens_is_escaped_on_a_terminal(self) -> None:
        shown = self.on_terminal("tokenize", "--model", self.model, f"the fox {''.join(TOKENS)}")
        self.assertIn(b"fox", shown)
        shown = shown.replace(b"\x1b[1m", b"").replace(b"\x1b[0m", b"")  # styles of the heading
        for token in TOKENS:
            self.assertNotIn(token[0].encode(), shown)


if __name__ == "__main__":
    unittest.main()
