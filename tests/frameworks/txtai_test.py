"""Tests txtai with a function that returns a Model's vectors. Needs txtai."""

import unittest

import bert_infer
import numpy as np
from txtai import Embeddings

TEXTS = ["A man plays the guitar.", "The stock market fell.", "A dog runs through the grass."]


class Txtai(unittest.TestCase):
    def test_searches(self) -> None:
        model = bert_infer.Model()

        def transform(texts: list[str]) -> np.ndarray:  # txtai needs a plain function
            return model.encode(texts)

        embeddings = Embeddings({"method": "external", "transform": transform, "backend": "numpy"})
        embeddings.index(TEXTS)
        query = "Somebody makes music with a guitar."
        ((index, score),) = embeddings.search(query, 1)
        self.assertEqual(index, 0)
        self.assertAlmostEqual(score, float(model.similarity(model.encode(query), model.encode(TEXTS[0]))[0, 0]), 5)
        self.assertTrue(np.isfinite(score))


if __name__ == "__main__":
    unittest.main()
