"""Tests which directory a model's name refers to."""

import os
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

import bert_infer
from bert_infer.fastembed import TextEmbedding
from bert_infer.sentence_transformers import SentenceTransformer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support


class Hub(unittest.TestCase):
    def setUp(self) -> None:
        self.cache = support.temporary_directory(self)
        environment = mock.patch.dict(os.environ, {"HF_HUB_CACHE": str(self.cache), "HF_HUB_OFFLINE": ""})
        environment.start()
        self.addCleanup(environment.stop)

    def put(self, folder: str) -> None:
        """Writes a model into the cache."""
        support.write_sentence_model(self.cache / folder / "snapshots" / "abc")
        (self.cache / folder / "refs").mkdir()
        (self.cache / folder / "refs" / "main").write_text("abc", encoding="utf-8")

    def hub_package(self, download) -> mock._patch:
        """Replaces huggingface_hub by a module with this snapshot_download."""
        return mock.patch.dict(sys.modules, {"huggingface_hub": types.SimpleNamespace(snapshot_download=download)})

    def test_a_name_is_looked_up_in_the_cache_and_a_short_one_among_sentence_transformers(self) -> None:
        self.put("models--org--small")
        self.put("models--sentence-transformers--tiny")
        for name in ("org/small", "sentence-transformers/tiny", "tiny"):
            self.assertEqual(bert_infer.Model(name).embedding_size(), 8)

    def test_a_path_object_is_a_directory(self) -> None:
        support.write_sentence_model(self.cache / "here")
        self.assertEqual(bert_infer.Model(self.cache / "here").embedding_size(), 8)

    def test_a_missing_model_is_downloaded_with_a_notice(self) -> None:
        def download(name, revision, allow_patterns):
            self.assertEqual((name, revision), ("sentence-transformers/tiny", "v1"))
            self.assertIn("*.safetensors", allow_patterns)
            return support.write_sentence_model(self.cache / "downloaded")

        with self.hub_package(download), self.assertWarnsRegex(bert_infer.Notice, "downloading the model"):
            self.assertEqual(bert_infer.Model("tiny", revision="v1").embedding_size(), 8)

    def test_nothing_is_downloaded_offline_or_without_the_package(self) -> None:
        with self.hub_package(lambda *_, **__: self.fail("downloads")):
            with mock.patch.dict(os.environ, {"HF_HUB_OFFLINE": "1"}):
                with self.assertRaisesRegex(bert_infer.NotFoundError, "model 'tiny': no such directory here"):
                    bert_infer.Model("tiny")
            with self.assertRaisesRegex(bert_infer.NotFoundError, "no such directory"):
                bert_infer.Model("./not/there")
        says = "'tiny'.* looked for 'sentence-transformers/tiny' too; `pip install huggingface_hub`"
        with mock.patch.dict(sys.modules, {"huggingface_hub": None}):
            with self.assertRaisesRegex(bert_infer.NotFoundError, says):
                bert_infer.Model("tiny")

    def test_local_files_only_asks_nobody_and_a_cache_folder_is_looked_in(self) -> None:
        self.put("models--org--small")
        with mock.patch.dict(os.environ, {"HF_HUB_CACHE": str(self.cache / "elsewhere")}):
            with self.hub_package(lambda *_, **__: self.fail("downloads")):
                for load in (bert_infer.Model, SentenceTransformer):
                    self.assertIsNotNone(load("org/small", cache_folder=self.cache, local_files_only=True))
                    with self.assertRaises(bert_infer.NotFoundError):
                        load("org/small", local_files_only=True)
                with self.assertRaises(bert_infer.NotFoundError):
                    TextEmbedding("org/small", local_files_only=True)
                self.assertEqual(TextEmbedding("org/small", cache_dir=str(self.cache)).embedding_size, 8)

    def test_the_variable_of_sentence_transformers_names_the_cache_of_its_drop_in(self) -> None:
        self.put("models--org--small")
        there = {"HF_HUB_CACHE": str(self.cache / "elsewhere"), "SENTENCE_TRANSFORMERS_HOME": str(self.cache)}
        with mock.patch.dict(os.environ, there):
            self.assertIsNotNone(SentenceTransformer("org/small", local_files_only=True))
            with self.assertRaises(bert_infer.NotFoundError):
                SentenceTransformer("org/small", cache_folder=self.cache / "other", local_files_only=True)
            with self.assertRaises(bert_infer.NotFoundError):
                bert_infer.Model("org/small", local_files_only=True)

    def test_a_download_gets_the_cache_and_the_token(self) -> None:
        def download(name, revision, allow_patterns, cache_dir, token):
            self.assertEqual((cache_dir, token), ("there", "secret"))
            return support.write_sentence_model(self.cache / "downloaded")

        with self.hub_package(download), self.assertWarns(bert_infer.Notice):
            bert_infer.Model("org/large", cache_folder="there", token="secret")

    def test_a_download_that_fails_is_an_error_of_this_package_and_says_why(self) -> None:
        class NoNetwork(FileNotFoundError):  # like huggingface_hub's LocalEntryNotFoundError, it has no errno
            pass

        for error, kind, says in (
            (NoNetwork("Got: ConnectError\nPlease check"), bert_infer.NotFoundError, "NoNetwork: Got: ConnectError Pl"),
            (RuntimeError("no such model"), bert_infer.NotFoundError, "RuntimeError: no such model"),
            (OSError(28, "No space left on device"), bert_infer.IoError, "OSError: .Errno 28. No space left on device"),
        ):
            download = mock.Mock(side_effect=error)
            with self.hub_package(download), self.assertWarns(bert_infer.Notice):
                with self.assertRaisesRegex(kind, f"'tiny': no such .*; its download failed: {says}") as raised:
                    bert_infer.Model("tiny")
            self.assertIs(raised.exception.__cause__, error)
            self.assertNotIn("\n", str(raised.exception))

    def test_a_missing_model_is_a_missing_file(self) -> None:
        for name in ("./not/there", self.cache / "not there"):
            with self.assertRaises(FileNotFoundError):
                bert_infer.Model(name)

    def test_a_broken_directory_is_not_looked_up_elsewhere(self) -> None:
        (self.cache / "empty").mkdir()
        with self.hub_package(lambda *_, **__: self.fail("downloads")):
            with self.assertRaisesRegex(bert_infer.NotFoundError, "config.json"):
                bert_infer.Model(str(self.cache / "empty"))


if __name__ == "__main__":
    unittest.main()
