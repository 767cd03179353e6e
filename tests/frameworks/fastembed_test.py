"""Compares fastembed's documented examples, with only the import changed, with the real package.

Needs fastembed, the built package, and in BERT_TEST_MINILM_ONNX the directory of all-MiniLM-L6-v2 with a float32
export, model.onnx.
"""

import os
import unittest

import bert_infer.fastembed as ours
import fastembed as theirs
import numpy as np

MODEL = os.environ.get("BERT_TEST_MINILM_ONNX", "")
NAME = "sentence-transformers/all-MiniLM-L6-v2"
DOCUMENTS = [
    "This is built to be faster and lighter than other embedding libraries e.g. Transformers, "
    "Sentence-Transformers, etc.",
    "fastembed is supported by and maintained by Qdrant.",
]


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM_ONNX names no directory")
class FastEmbed(unittest.TestCase):
    def test_quickstart(self) -> None:
        found, expected = (
            list(package.TextEmbedding(model_name=NAME, specific_model_path=MODEL).embed(DOCUMENTS))
            for package in (ours, theirs)
        )
        self.assertEqual((len(found), found[0].shape), (2, (384,)))
        np.testing.assert_allclose(found, expected, atol=1e-6)

    def test_queries_and_passages(self) -> None:
        models = [package.TextEmbedding(model_name=NAME, specific_model_path=MODEL) for package in (ours, theirs)]
        for call in ("query_embed", "passage_embed"):
            found, expected = (np.array(list(getattr(model, call)(DOCUMENTS))) for model in models)
            np.testing.assert_allclose(found, expected, atol=1e-6)
        self.assertEqual(models[0].token_count(DOCUMENTS), models[1].token_count(DOCUMENTS))
        self.assertEqual(models[0].embedding_size, models[1].embedding_size)


if __name__ == "__main__":
    unittest.main()
