"""Tests the adapters for other packages, without these packages. tests/frameworks tests them with these packages."""

import copy
import pickle
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

import bert_infer
import numpy as np
from bert_infer.adapters import loaded, loaded_encoder, without_device
from bert_infer.sentence_transformers import SentenceTransformer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support


class Adapters(unittest.TestCase):
    def test_load_a_model_by_what_other_packages_pass(self) -> None:
        model = loaded(None, {"device": "cpu", "trust_remote_code": True, "threads": 1})
        self.assertEqual(model.threads, 1)
        self.assertTrue(np.array_equal(model.encode("a dog"), bert_infer.Model().encode("a dog")))
        self.assertIs(loaded(model), model)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'pooling'"):
            loaded(None, {"pooling": "cls"})

    def test_take_a_model_of_another_class_as_it_is(self) -> None:
        class Encoder:
            def encode(self, texts: list[str]) -> list[str]:
                return texts

        for model in (Encoder(), bert_infer.Model()):
            self.assertIs(loaded_encoder(model), model)
        self.assertIsInstance(loaded_encoder(None), bert_infer.Model)
        with self.assertRaises(bert_infer.NotFoundError):
            loaded_encoder("no such model")

    def test_a_sentence_transformer_is_an_embedder_of_the_packages_that_are_imported(self) -> None:
        class BaseEmbedder:
            """Stands for the base class in KeyBERT and in BERTopic."""

        model = SentenceTransformer(support.write_sentence_model(support.temporary_directory(self)))
        self.assertNotIsInstance(model, BaseEmbedder)
        self.assertIs(model.__class__, SentenceTransformer)
        for name in ("keybert.backend", "bertopic.backend"):
            with mock.patch.dict(sys.modules, {name: types.SimpleNamespace(BaseEmbedder=BaseEmbedder)}):
                self.assertIsInstance(model, BaseEmbedder)
                self.assertIsInstance(model, SentenceTransformer)
                for again in (copy.copy(model), pickle.loads(pickle.dumps(model))):
                    self.assertIs(type(again), SentenceTransformer)
                    self.assertEqual(again.encode("a dog").tolist(), model.encode("a dog").tolist())
        expected = model.encode(["a dog", "the fox"]).tolist()
        for embed in (model.embed, model.embed_documents, model.embed_words):
            self.assertEqual(embed(np.array(["a dog", "the fox"])).tolist(), expected)
            with self.assertRaisesRegex(TypeError, "documents: found str, expected several texts"):
                embed("letters")

    def test_refuse_another_device(self) -> None:
        self.assertEqual(without_device({"device": None, "batch_size": 8}), {"batch_size": 8})
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "device 'mps' is not supported"):
            without_device({"device": "mps"})


if __name__ == "__main__":
    unittest.main()
