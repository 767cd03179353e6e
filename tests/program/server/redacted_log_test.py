"""Checks that the server writes no part of a text on standard error, for answers and for errors, by /v1/redact and by
other routes, in each form of the log."""

import http.client
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("BERT_INFER_PROGRAM", str(REPOSITORY / "build" / "bert-infer"))
WRITE_TINY_MODELS = os.environ["BERT_TINY_MODELS"]
SECRET = "Zanzibarczyk"  # occurs in no text of the program
TEXT = f"{SECRET} met the brown fox, {SECRET}@example.org"

# Bodies for /v1/redact, and the statuses of their answers.
REDACTED = [
    ({"input": TEXT}, 200),
    ({"input": [TEXT, "", "the brown fox"], "mask": "*"}, 200),
    ({"input": TEXT, "replace": "{hash}"}, 200),
    ({"input": TEXT, "stride": 4}, 200),
    ({"input": TEXT, "replace": "{" + SECRET + "}"}, 400),
    ({"input": [TEXT, 5]}, 400),
    ({"input": {SECRET: TEXT}}, 400),
    ({"input": TEXT, "model": SECRET}, 404),
    ({"input": TEXT, "labels": [SECRET]}, 400),
    ({"input": TEXT, SECRET: 1, "only": SECRET}, 400),
    ('{"input": "' + TEXT + '", ', 400),
    ('{"input": "' + TEXT + ' \\ud800"}', 200),
    (b'{"input": "' + TEXT.encode() + b' \xff"}', 400),
    ({"input": TEXT * 200}, 413),
]
OTHERS = [
    ("/v1/ner", {"input": TEXT}, 200),
    ("/v1/embeddings", {"input": TEXT, "model": "embedder"}, 200),
    ("/v1/embeddings", {"input": [[TEXT]], "model": "embedder"}, 400),
    ("/v1/rerank", {"query": TEXT, "documents": TEXT, "model": "embedder"}, 422),
    ("/embed", {"inputs": TEXT, "model": SECRET}, 404),
]


class RedactedLog(unittest.TestCase):
    def log_of(self, form: str) -> str:
        """Returns everything that a server with this form of the log writes while it answers the requests of REDACTED
        and others."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            subprocess.run([WRITE_TINY_MODELS, name], check=True)
            key = folder / "key"
            key.write_text("0123456789abcdef")
            command = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--log", form, "--threads", "1",
                       "--max-body", "9000", "--strict-model-names", "--model", f"tagger={folder / 'firing-tagger'}",
                       "--model", f"embedder={folder / 'embedder'}", "--redact-key-file", str(key),
                       "--redact-expression", r"EMAIL=\w+@[\w.]+"]
            server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            try:
                return self.written_by(server)
            finally:
                server.kill()
                server.communicate()

    def written_by(self, server: "subprocess.Popen[str]") -> str:
        assert server.stderr is not None
        lines: list[str] = []
        while not lines or "ready" not in lines[-1]:
            lines.append(server.stderr.readline())
            self.assertTrue(lines[-1], lines)
        found = re.search(r"127\.0\.0\.1:(\d+)", lines[0])
        assert found is not None
        for path, body, status in [("/v1/redact", *one) for one in REDACTED] + OTHERS:
            connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
            sent = json.dumps(body) if isinstance(body, dict) else body
            connection.request("POST", path, sent, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
            self.assertEqual(answer.status, status, (path, body, text[:300]))
            if path == "/v1/redact" and status == 200:
                self.assertNotIn("brown fox", text)
                self.assertIn(SECRET, text, "the name is no entity of this model")
            connection.close()
        server.terminate()
        rest = server.communicate(timeout=60)[1]
        self.assertEqual(server.returncode, 0, rest)
        return "".join(lines) + rest

    def test_no_line_has_anything_of_a_text(self) -> None:
        for form in ("none", "json"):
            with self.subTest(form):
                written = self.log_of(form)
                for word in (SECRET, "brown", "example.org"):
                    self.assertNotIn(word, written)
                lines = written.splitlines()
                requests = [line for line in lines if form == "json" and "/v1/redact" in line]
                self.assertEqual(len(requests), len(REDACTED) if form == "json" else 0, written)
                if form == "json":
                    self.assertTrue(all(isinstance(json.loads(line), dict) for line in lines))


if __name__ == "__main__":
    unittest.main()
