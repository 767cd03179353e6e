"""tools/fetch_model.sh, with a hub of this test's own in place of the real one: a few files behind HF_ENDPOINT."""

import functools
import http.server
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "fetch_model.sh"

MODEL = {
    "config.json": "{}",
    "vocab.txt": "[PAD]\n",
    "modules.json": '[{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Normalize"}]',
    "1_Pooling/config.json": '{"pooling": 1}',
    "model.safetensors.index.json": '{"weight_map": {"a": "m-1-of-2.safetensors", "b": "m-2-of-2.safetensors"}}',
    "m-1-of-2.safetensors": "first",
    "m-2-of-2.safetensors": "second",
}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without a line for each request. Notes the tokens that came; org/elsewhere is a redirect."""

    tokens: list = []

    def do_GET(self):
        Quiet.tokens.append(self.headers.get("Authorization"))
        if "/elsewhere/" not in self.path:
            return super().do_GET()
        self.send_response(302)
        target = f"http://127.0.0.1:{self.server.server_port}{self.path.replace('/elsewhere/', '/name/')}"
        self.send_header("Location", target)
        self.end_headers()

    def log_message(self, *_):
        pass


class FetchModel(unittest.TestCase):
    """Each test has a hub with the models that it writes, and an empty folder to fetch into."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.hub, self.here = Path(folder.name, "hub"), Path(folder.name, "here")
        self.hub.mkdir()
        self.here.mkdir()
        handler = functools.partial(Quiet, directory=self.hub)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"

    def write(self, name, files):
        for file, text in files.items():
            path = self.hub / name / "resolve" / "main" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def fetch(self, *arguments, endpoint=None, **variables):
        environment = os.environ | {"HF_ENDPOINT": endpoint or self.endpoint, "no_proxy": "127.0.0.1"} | variables
        command = [SCRIPT, *arguments]
        return subprocess.run(command, cwd=self.here, env=environment, capture_output=True, text=True, check=False)

    def test_fetches_what_the_model_has(self):
        self.write("org/name", MODEL)
        done = self.fetch("org/name")
        self.assertEqual(done.returncode, 0, done.stderr)
        directory = self.here / "checkpoints" / "name"
        found = {str(path.relative_to(directory)): path.read_text() for path in directory.rglob("*.*")}
        self.assertEqual(found, MODEL)
        self.assertEqual([path.name for path in (self.here / "checkpoints").iterdir()], ["name"])

    def test_fetches_the_modules_of_a_router_and_heads_to_convert(self):
        router = '{"types": {"query_0_Static": "", "document_0_Transformer": ""}}'
        model = {
            "config.json": '{"model_type": "some-kind"}',
            "sentence_some-kind_config.json": "{}",
            "modules.json": '[{"path": "0_Router"}]',
            "0_Router/router_config.json": router,
            "0_Router/query_0_Static/tokenizer.json": "{}",
            "0_Router/query_0_Static/model.safetensors": "x",
            "0_Router/document_0_Transformer/config.json": "{}",
            "sparse_linear.pt": "x",
            "spm.model": "x",
            "artifact.metadata": "{}",
            "chat_template.jinja": "x",
            "model.safetensors": "x",
        }
        self.write("org/router", model)
        done = self.fetch("org/router")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sparse_linear.pt is read after: python3 tools/convert_weights.py checkpoints/r", done.stderr)
        directory = self.here / "checkpoints" / "router"
        files = [path for path in directory.rglob("*") if path.is_file()]
        found = {str(path.relative_to(directory)): path.read_text() for path in files}
        self.assertEqual(found, model)

    def test_fetches_the_configuration_of_an_encoder_in_a_folder(self):
        model = {"config.json": '{"model_type": "extractor"}', "encoder_config/config.json": "{}",
                 "model.safetensors": "x"}
        self.write("org/extractor", model)
        done = self.fetch("org/extractor")
        self.assertEqual(done.returncode, 0, done.stderr)
        directory = self.here / "checkpoints" / "extractor"
        self.assertEqual((directory / "encoder_config" / "config.json").read_text(), "{}")

    def test_says_how_to_convert_a_checkpoint_of_pytorch(self):
        self.write("org/old", {"config.json": "{}", "pytorch_model.bin": "x"})
        done = self.fetch("org/old", "elsewhere")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("convert it with: python3 tools/convert_weights.py elsewhere", done.stderr)
        self.assertEqual((self.here / "elsewhere" / "pytorch_model.bin").read_text(), "x")

    def test_leaves_nothing_behind_when_it_fails(self):
        self.write("org/export", {"config.json": "{}", "onnx/model.onnx": "x"})
        closed = self.endpoint.rsplit(":", 1)[0] + ":9"
        for name, endpoint, says in (
            ("org/none", None, "has no config.json of a model org/none"),
            ("org/export", None, "org/export has neither model.safetensors nor pytorch_model.bin"),
            ("org/export", closed, "cannot be reached or broke off; without a network"),
        ):
            done = self.fetch(name, endpoint=endpoint)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual(list(self.here.glob("checkpoints/*")), [])

    def test_sends_a_token_that_no_command_line_has(self):
        self.write("org/name", MODEL)
        real = shutil.which("curl")
        tool = self.here / "bin" / "curl"
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\necho "$@" >>"{self.here}/arguments"\nexec {real} "$@"\n')
        tool.chmod(0o755)
        Quiet.tokens.clear()
        path = f"{tool.parent}:{os.environ['PATH']}"
        done = self.fetch("org/name", HF_TOKEN="hf_private", PATH=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(Quiet.tokens), {"Bearer hf_private"})
        arguments = (self.here / "arguments").read_text()
        self.assertIn("config.json", arguments)
        self.assertNotIn("hf_private", arguments + done.stderr)
        Quiet.tokens.clear()
        self.assertEqual(self.fetch("org/name", "again", HF_TOKEN="").returncode, 0)
        self.assertEqual(set(Quiet.tokens), {None})

    def test_sends_a_token_over_https_or_to_this_machine_alone(self):
        for endpoint in ("http://hub.example", "http://127.0.0.1.example", "http://127.0.0.1@hub.example",
                         "http://localhost.example:80", "ftp://127.0.0.1"):
            done = self.fetch("org/name", endpoint=endpoint, HF_TOKEN="hf_private")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"HF_TOKEN is not sent to {endpoint}: expected https", done.stderr)
        done = self.fetch("org/name", HF_TOKEN="hf_private\nX-Other: 1")
        self.assertIn("a character that no token has", done.stderr)

    def test_follows_no_redirect_but_to_https(self):
        self.write("org/name", MODEL)
        done = self.fetch("org/elsewhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("http", done.stderr)
        self.assertEqual(list(self.here.glob("checkpoints/*")), [])

    def test_refuses_a_name_without_its_organisation_and_a_directory_that_is_there(self):
        self.assertEqual(self.fetch("name").returncode, 2)
        (self.here / "there").mkdir()
        done = self.fetch("org/name", "there")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is there already", done.stderr)


if __name__ == "__main__":
    unittest.main()
