"""Tests token vectors of late-interaction models, and calls that return several kinds of vectors."""

import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np
from bert_infer.fastembed import LateInteractionTextEmbedding
from bert_infer.sentence_transformers import MultiVectorEncoder

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support

TEXTS = ["the quick fox", "dog", "", "the lazy dog jumps over the dog"]


class LateInteraction(unittest.TestCase):
    """Writes a ColBERT model of random weights with PyLate's files."""

    def setUp(self) -> None:
        self.folder = support.write_model(
            support.temporary_directory(self),
            "BertModel",
            files={
                "modules.json": [{"type": "sentence_transformers.models.Transformer", "path": ""}],
                "config_sentence_transformers.json": {
                    "model_type": "ColBERT",
                    "query_prefix": "the",
                    "query_length": 9,
                    "skiplist_words": ["dog"],
                },
            },
        )
        self.model = bert_infer.Model(self.folder)

    def test_is_the_drop_ins_multi_vector_encoder(self) -> None:
        model = MultiVectorEncoder(self.folder)
        queries, documents = model.encode_query(TEXTS), model.encode_document(TEXTS)
        for role, found in (("query", queries), ("document", documents)):
            for rows, expected in zip(found, self.model.encode_tokens(TEXTS, role=role), strict=True):
                np.testing.assert_array_equal(rows, expected)
        scores = model.similarity(queries, documents)
        expected = [[(a @ b.T).max(axis=1).sum() if len(b) else 0 for b in documents] for a in queries]
        np.testing.assert_allclose(scores, expected, rtol=1e-5)
        np.testing.assert_array_equal(model.similarity_pairwise(queries, documents), np.diag(scores))
        mean = MultiVectorEncoder(self.folder, similarity_fn_name="meanmaxsim")
        np.testing.assert_allclose(mean.similarity(queries, documents), scores / 9, rtol=1e-6)
        for options in ({"prompt": ""}, {"prompt_name": "query"}, {"prompt_name": "query", "prompt": ""}):
            np.testing.assert_array_equal(model.encode_query("dog", **options), queries[1])
        for options in ({"prompt": "a "}, {"prompt_name": "document"}, {"prompt_name": "query", "prompt": "a "}):
            with self.assertRaisesRegex(bert_infer.UnsupportedError, "prompt(_name)?="):
                model.encode_query("dog", **options)
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "prompts.'query'.='a ' is not supported"):
            MultiVectorEncoder(self.folder, prompts={"query": "a "})
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "token_pooling"):
            model.encode(TEXTS, token_pooling=1)
        lengths = np.linalg.norm(model.encode("the fox", normalize_embeddings=True), axis=1)
        np.testing.assert_allclose(lengths, 1, rtol=1e-6)

    def test_scores_are_those_of_rerank(self) -> None:
        query = self.model.encode_tokens("a fox", role="query")
        documents = self.model.encode_tokens(TEXTS)
        ranked = self.model.rerank("a fox", TEXTS)
        scores = self.model.max_sim(query, documents)
        self.assertEqual([scores[one["corpus_id"]] for one in ranked], [one["score"] for one in ranked])
        np.testing.assert_allclose(scores[0], (query @ documents[0].T).max(axis=1).sum(), rtol=1e-5)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, r"documents\[1\] has vectors of 3 numbers"):
            self.model.max_sim(query, [documents[0], np.zeros((2, 3), np.float32)])

    def test_is_fastembeds_late_interaction(self) -> None:
        model = LateInteractionTextEmbedding("any/name", specific_model_path=self.folder)
        self.assertEqual(model.embedding_size, 8)
        for rows, expected in zip(model.embed(TEXTS), self.model.encode_tokens(iter(TEXTS)), strict=True):
            np.testing.assert_array_equal(rows, expected)
        query = self.model.encode_tokens("a fox", role="query")
        np.testing.assert_array_equal(next(iter(model.query_embed("a fox"))), query)
        self.assertEqual(query.shape, (9, self.model.token_vector_size()))
        self.assertEqual(len(self.model.encode_tokens("the quick fox", max_length=4)), 4)

    def test_names_what_is_wrong(self) -> None:
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "role 'both', expected one of document, query"):
            self.model.encode_tokens("a", role="both")
        with self.assertRaisesRegex(bert_infer.NotFoundError, "makes no token vectors"):
            bert_infer.Model().encode_tokens("a")


class Kinds(unittest.TestCase):
    """Writes a model with BGE-M3's files."""

    def setUp(self) -> None:
        self.model = bert_infer.Model(support.write_m3_model(support.temporary_directory(self)))

    def test_have_the_bits_that_each_has_alone(self) -> None:
        kinds = self.model.encode_kinds(iter(TEXTS))
        np.testing.assert_array_equal(kinds["dense"], self.model.encode(TEXTS))
        for i, (ids, weights) in enumerate(self.model.encode_sparse(TEXTS)):
            np.testing.assert_array_equal(kinds["sparse"][i][0], ids)
            np.testing.assert_array_equal(kinds["sparse"][i][1], weights)
        for rows, expected in zip(kinds["tokens"], self.model.encode_tokens(TEXTS), strict=True):
            np.testing.assert_array_equal(rows, expected)

    def test_are_only_those_that_are_asked_for(self) -> None:
        self.assertEqual(self.model.encode_kinds(["a"], sparse=False).keys(), {"dense", "tokens"})
        self.assertEqual(self.model.encode_kinds([], tokens=False)["dense"].shape, (0, 8))
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "no kind of vectors"):
            self.model.encode_kinds(["a"], dense=False, sparse=False, tokens=False)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "a single str"):
            self.model.encode_kinds("a")


if __name__ == "__main__":
    unittest.main()
