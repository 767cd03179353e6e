"""Tests the embedding function for Chroma with a collection on disk. Needs chromadb."""

import copy
import pickle
import tempfile
import unittest

import bert_infer
import chromadb
import numpy as np
from bert_infer.chroma import BertInferEmbeddingFunction

TEXTS = ["A man plays the guitar.", "The stock market fell.", "A dog runs through the grass."]


class Chroma(unittest.TestCase):
    def test_a_collection_searches_also_after_it_is_opened_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            client = chromadb.PersistentClient(folder)
            collection = client.create_collection("texts", embedding_function=BertInferEmbeddingFunction())
            collection.add(ids=["a", "b", "c"], documents=TEXTS)
            for opened in (collection, client.get_collection("texts")):
                found = opened.query(query_texts=["Somebody makes music with a guitar."], n_results=1)
                self.assertEqual(found["ids"], [["a"]])

    def test_gives_the_models_vectors(self) -> None:
        found, expected = BertInferEmbeddingFunction()(TEXTS), bert_infer.Model().encode(TEXTS)
        self.assertTrue(np.array_equal(np.stack(found), expected))

    def test_the_model_of_a_collection_cannot_change(self) -> None:
        function = BertInferEmbeddingFunction()
        with self.assertRaisesRegex(ValueError, "cannot be changed"):
            function.validate_config_update(function.get_config(), {"model_name": "other"})

    def test_can_be_pickled_and_copied(self) -> None:
        function = BertInferEmbeddingFunction()
        for again in (pickle.loads(pickle.dumps(function)), copy.deepcopy(function)):
            self.assertTrue(np.array_equal(np.stack(again(TEXTS)), np.stack(function(TEXTS))))


if __name__ == "__main__":
    unittest.main()
