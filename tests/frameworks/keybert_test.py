"""Tests that KeyBERT finds the same keywords with the adapter as with sentence-transformers. Needs keybert, and in
BERT_TEST_MINILM the directory of all-MiniLM-L6-v2."""

import copy
import pickle
import unittest

import numpy as np
import sentence_transformers
from bert_infer.keybert import BertInferBackend
from bert_infer.sentence_transformers import SentenceTransformer
from keybert import KeyBERT
from keybert.backend import BaseEmbedder
from sentence_transformers_test import MODEL

TEXT = """Supervised learning is the task of learning a function that maps an input to an output, based on examples of
pairs of inputs and outputs. It infers the function from labelled training data, a set of training examples."""


class Keywords(unittest.TestCase):
    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_equal_those_of_sentence_transformers(self) -> None:
        backend = BertInferBackend(MODEL)
        theirs = sentence_transformers.SentenceTransformer(MODEL, device="cpu")
        for options in ({}, {"keyphrase_ngram_range": (1, 2), "use_mmr": True}):
            found, expected = (KeyBERT(one).extract_keywords(TEXT, **options) for one in (backend, theirs))
            self.assertEqual([word for word, _ in found], [word for word, _ in expected])
            np.testing.assert_allclose([score for _, score in found], [score for _, score in expected], atol=1e-4)

    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_by_the_drop_in_itself_equal_those_of_sentence_transformers(self) -> None:
        ours = SentenceTransformer(MODEL)
        theirs = sentence_transformers.SentenceTransformer(MODEL, device="cpu")
        expected = KeyBERT(theirs).extract_keywords(TEXT)
        for model in (ours, BertInferBackend(ours), BertInferBackend(theirs), pickle.loads(pickle.dumps(ours))):
            found = KeyBERT(model=model).extract_keywords(TEXT)
            self.assertEqual([word for word, _ in found], [word for word, _ in expected])
            np.testing.assert_allclose([score for _, score in found], [score for _, score in expected], atol=1e-4)
        self.assertIs(type(ours), SentenceTransformer)
        self.assertIsInstance(ours, SentenceTransformer)
        self.assertIsInstance(ours, BaseEmbedder)
        self.assertNotIsInstance(ours, sentence_transformers.SentenceTransformer)

    def test_a_str_in_the_place_of_texts_is_refused(self) -> None:
        with self.assertRaisesRegex(TypeError, "documents: found str, expected several texts"):
            BertInferBackend().embed("letters")

    def test_can_be_pickled_and_copied(self) -> None:
        backend = BertInferBackend(normalize_embeddings=True)
        for again in (pickle.loads(pickle.dumps(backend)), copy.deepcopy(backend)):
            self.assertTrue(np.array_equal(again.embed(["a dog"]), backend.embed(["a dog"])))


if __name__ == "__main__":
    unittest.main()
