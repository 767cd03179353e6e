"""Compares the search of Qdrant's client, in local mode, on vectors of bert_infer.fastembed with their cosines. Needs
qdrant-client."""

import os
import unittest

import numpy as np
from bert_infer.fastembed import TextEmbedding
from qdrant_client import QdrantClient
from qdrant_client.models import Distance, PointStruct, VectorParams

NAME = "sentence-transformers/all-MiniLM-L6-v2"
MODEL = os.environ.get("BERT_TEST_MINILM")
DOCUMENTS = ["A man plays a guitar.", "The stock market fell.", "Children run in a park.", "A cat sleeps on a sofa."]
QUERIES = ["Somebody makes music.", "Shares lost value.", "Kids are playing outside.", "An animal is resting."]


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
class Qdrant(unittest.TestCase):
    def test_search_finds_what_the_cosines_say(self) -> None:
        embedder = TextEmbedding(model_name=NAME, specific_model_path=MODEL)
        client = QdrantClient(":memory:")
        self.addCleanup(client.close)
        size = VectorParams(size=embedder.embedding_size, distance=Distance.COSINE)
        client.create_collection("documents", vectors_config=size)
        vectors = list(embedder.passage_embed(DOCUMENTS))
        points = [
            PointStruct(id=i, vector=vector.tolist(), payload={"text": text})
            for i, (vector, text) in enumerate(zip(vectors, DOCUMENTS, strict=True))
        ]
        client.upsert("documents", points)
        for number, (query, vector) in enumerate(zip(QUERIES, embedder.query_embed(QUERIES), strict=True)):
            with self.subTest(query):
                found = client.query_points("documents", query=vector, limit=len(DOCUMENTS)).points
                cosines = np.float64(vectors) @ np.float64(vector)  # the model normalises vectors
                self.assertEqual([point.id for point in found], np.argsort(-cosines).tolist())
                np.testing.assert_allclose([point.score for point in found], np.sort(cosines)[::-1], atol=1e-6)
                self.assertEqual(found[0].payload, {"text": DOCUMENTS[number]})


if __name__ == "__main__":
    unittest.main()
