"""Provides the tests of fetch with a hub of a small model, a new cache per test, and the program."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from hub_server import HubServer

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("BERT_INFER_PROGRAM", str(REPOSITORY / "build" / "bert-infer"))
WRITE_TINY_MODELS = os.environ["BERT_TINY_MODELS"]
NAME, TEXT = "org/tiny", "a b c"
MODULES = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
           {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
# Variables of the environment that name a hub, proxies or certificates. The tests remove those that the caller has.
FOREIGN = ("HF_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT", "REQUESTS_CA", "CURL_CA")


class FetchCase(unittest.TestCase):
    scratch: tempfile.TemporaryDirectory  # type: ignore[type-arg]
    model: dict[str, bytes]
    of_origin = ""  # the vector by the model's directory

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = tempfile.TemporaryDirectory()
        models = Path(cls.scratch.name)
        subprocess.run([WRITE_TINY_MODELS, str(models)], check=True)
        cls.directory = models / "embedder"
        (cls.directory / "modules.json").write_text(json.dumps(MODULES))
        pooling = cls.directory / "1_Pooling"
        pooling.mkdir()
        width = json.loads((cls.directory / "config.json").read_text())["hidden_size"]
        pooling.joinpath("config.json").write_text(
            json.dumps({"word_embedding_dimension": width, "pooling_mode_mean_tokens": True}))
        files = (path for path in cls.directory.rglob("*") if path.is_file())
        cls.model = {str(path.relative_to(cls.directory)): path.read_bytes() for path in files}

    @classmethod
    def tearDownClass(cls) -> None:
        cls.scratch.cleanup()

    def setUp(self) -> None:
        self.hub = HubServer()
        self.addCleanup(self.hub.close)
        self.hub.models[NAME] = dict(self.model) | {"README.md": b"# A model", "onnx/model.onnx": b"not fetched",
                                                    "pytorch_model.bin": b"not fetched", ".gitattributes": b"x"}
        self.new_cache()

    def new_cache(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name, "cache")

    def environment(self, **variables: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(FOREIGN)}
        return kept | {"HF_ENDPOINT": self.hub.endpoint, "HF_HUB_CACHE": str(self.cache),
                       "HOME": str(self.cache.parent)} | variables

    def run_program(self, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([PROGRAM, *arguments], env=self.environment(**variables), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False, timeout=60)

    def fetch(self, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        return self.run_program("fetch", *(arguments or ("--quiet", "--tries", "1", NAME)), **variables)

    def folder(self, name: str = NAME) -> Path:
        return self.cache / f"models--{name.replace('/', '--')}"

    @property
    def snapshot(self) -> Path:
        return self.folder() / "snapshots" / self.hub.commit

    def fetched_files(self) -> set[str]:
        return {str(path.relative_to(self.snapshot)) for path in self.snapshot.rglob("*") if path.is_file()}

    def incomplete(self, path: str = "model.safetensors") -> Path:
        digest = self.digest(path)
        return self.folder() / "blobs" / f"{digest}.incomplete"

    def digest(self, path: str) -> str:
        entry = self.hub.entry(path, self.hub.models[NAME][path])
        return str(entry.get("lfs", entry)["oid"])

    def vector(self, model: str) -> str:
        done = self.run_program("embed", "--model", model, TEXT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def expect_whole(self) -> None:
        """Expects that the model loads by its name and computes the same vectors as the directory that it came from."""
        if not self.of_origin:
            type(self).of_origin = self.vector(str(self.directory))
        self.assertEqual(self.vector(NAME), self.of_origin)

    def expect_nothing_to_load(self) -> None:
        snapshots = self.folder() / "snapshots"
        self.assertEqual(list(snapshots.iterdir()) if snapshots.exists() else [], [])
        refs = self.folder() / "refs"
        self.assertEqual(list(refs.iterdir()) if refs.exists() else [], [])
        done = self.run_program("embed", "--model", NAME, TEXT)
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def expect_error(self, done: "subprocess.CompletedProcess[str]", *says: str) -> None:
        """Expects status 1, an empty standard output, and one line on standard error."""
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Abert-infer: error: [^\n]+\n\Z")
        for words in says:
            self.assertIn(words, done.stderr)
