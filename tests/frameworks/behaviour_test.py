"""Tests the documented behaviour of sentence-transformers' classes and of the drop-in's, by the same tests.

Needs sentence-transformers, the built package, and in BERT_TEST_MINILM the directory of all-MiniLM-L6-v2.
"""

import pickle
import tempfile
import unittest
from typing import Any

import bert_infer.sentence_transformers as ours
import numpy as np
import sentence_transformers as theirs
import torch
from sentence_transformers_test import CORPUS, MODEL, QUERIES, save_random_model
from transformers import BertForMaskedLM, BertForSequenceClassification


class Behaviour:
    """The tests. A subclass runs them with its package."""

    package: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        save_random_model(BertForSequenceClassification, f"{cls.folder.name}/pairs", num_labels=1)
        save_random_model(BertForSequenceClassification, f"{cls.folder.name}/labels", num_labels=3)
        save_random_model(BertForMaskedLM, f"{cls.folder.name}/sparse")
        cls.dense = cls.package.SentenceTransformer(MODEL, device="cpu")
        cls.pairs = cls.package.CrossEncoder(f"{cls.folder.name}/pairs", device="cpu")
        cls.sparse = cls.package.SparseEncoder(f"{cls.folder.name}/sparse", device="cpu")

    def pool(self, model: Any) -> Any:
        """Starts a pool of one process, which ends with the test."""
        pool = model.start_multi_process_pool(["cpu"])
        self.addCleanup(model.stop_multi_process_pool, pool)
        return pool

    def test_a_text_has_a_vector_and_texts_a_matrix(self) -> None:
        self.assertEqual(self.dense.encode("a dog").shape, (384,))
        self.assertEqual(self.dense.encode(["a dog"]).shape, (1, 384))
        self.assertEqual(self.dense.encode([]).shape, (0,))
        self.assertEqual(self.dense.encode(np.array(["a dog", "a cat"])).shape, (2, 384))
        self.assertIsInstance(self.dense.encode("a dog", convert_to_tensor=True), torch.Tensor)
        self.assertIsInstance(self.dense.encode(["a dog"], convert_to_numpy=False), list)
        self.assertEqual(self.dense.encode("a dog", output_value="token_embeddings").shape, (4, 384))

    def test_vectors_are_cut_and_normalised(self) -> None:
        cut = self.dense.encode(CORPUS, truncate_dim=32)
        self.assertEqual(cut.shape, (9, 32))
        self.assertTrue(np.all(np.linalg.norm(cut, axis=1) < 0.9))
        unit = self.dense.encode(CORPUS, truncate_dim=32, normalize_embeddings=True)
        np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, atol=1e-6)
        self.assertEqual(self.dense.encode(CORPUS, precision="ubinary").dtype, np.uint8)
        self.assertEqual(self.dense.encode(CORPUS, precision="ubinary").shape, (9, 48))

    def test_a_prompt_is_text_before_the_text(self) -> None:
        plain = self.dense.encode("query: a dog")
        np.testing.assert_allclose(self.dense.encode("a dog", prompt="query: "), plain, atol=1e-6)
        model = self.package.SentenceTransformer(MODEL, device="cpu", prompts={"query": "query: "})
        np.testing.assert_allclose(model.encode_query("a dog"), plain, atol=1e-6)
        np.testing.assert_allclose(model.encode("a dog", prompt_name="query"), plain, atol=1e-6)
        np.testing.assert_allclose(model.encode_document("a dog"), self.dense.encode("a dog"), atol=1e-6)
        with self.assertRaises(ValueError):
            model.encode("a dog", prompt_name="unknown")

    def test_similarities_are_tensors(self) -> None:
        vectors = self.dense.encode(CORPUS)
        scores = self.dense.similarity(vectors, vectors)
        self.assertEqual(scores.shape, torch.Size([9, 9]))
        self.assertTrue(torch.allclose(scores.diagonal(), torch.ones(9), atol=1e-6))
        pairwise = self.dense.similarity_pairwise(vectors[:3], vectors[3:6])
        self.assertTrue(torch.allclose(pairwise, scores[:3, 3:6].diagonal(), atol=1e-6))
        self.assertEqual(self.dense.similarity_fn_name, "cosine")
        self.assertEqual(self.dense.similarity_pairwise(vectors[0], vectors[1]).shape, torch.Size([]))
        multiple = self.dense.encode_multi_process(
            CORPUS, self.pool(self.dense), None, None, 8, None, False, "float32", True, 32
        )
        expected = self.dense.encode(CORPUS, truncate_dim=32, normalize_embeddings=True)
        np.testing.assert_allclose(multiple, expected, atol=1e-6)

    @staticmethod
    def angle(a: np.ndarray, b: np.ndarray) -> float:
        """Returns AnglE's similarity, by its definition with complex numbers."""
        product = np.sum((a[:192] + 1j * a[192:]) * np.conj(b[:192] + 1j * b[192:]))
        product /= np.linalg.norm(a) * np.linalg.norm(b)
        return abs(product.real + product.imag)

    def test_the_functions_on_vectors(self) -> None:
        util = self.package.util
        corpus, queries = self.dense.encode(CORPUS), self.dense.encode(QUERIES)
        found = util.semantic_search(queries, corpus, top_k=2)
        self.assertEqual([[hit["corpus_id"] for hit in hits] for hits in found], [[0, 1], [7, 4]])
        angles = util.pairwise_angle_sim(corpus[:4], corpus[4:8])
        np.testing.assert_allclose(angles, [self.angle(*pair) for pair in zip(corpus, corpus[4:8])], atol=1e-5)
        active = util.select_max_active_dims(torch.tensor([[1.0, -3.0, 2.0]]), 2)
        self.assertEqual(active.tolist(), [[0.0, -3.0, 2.0]])
        pairs = util.paraphrase_mining(self.dense, CORPUS, top_k=2)
        self.assertEqual(pairs[0][1:], [0, 1])
        self.assertEqual([one[0] for one in pairs], sorted((one[0] for one in pairs), reverse=True))
        groups = util.community_detection(corpus, threshold=0.5, min_community_size=2)
        self.assertEqual(sorted(map(sorted, groups)), [[0, 1], [3, 6]])

    def test_properties(self) -> None:
        self.assertEqual((self.dense.max_seq_length, self.dense.get_embedding_dimension()), (256, 384))
        self.assertEqual((self.dense.device, self.dense.dtype), (torch.device("cpu"), torch.float32))
        self.assertEqual(len(self.dense), 3)
        self.assertEqual(self.dense.tokenizer.tokenize("a dog"), ["a", "dog"])
        features = self.dense.preprocess(["a dog", "the two dogs"])
        self.assertEqual(features["input_ids"].shape, (2, 5))
        self.assertEqual(features.to("cpu").attention_mask.tolist(), [[1, 1, 1, 1, 0], [1] * 5])
        with torch.no_grad():
            vectors = self.dense(features)["sentence_embedding"]
        np.testing.assert_allclose(vectors, self.dense.encode(["a dog", "the two dogs"]), atol=1e-6)
        tokenizer = self.dense.tokenizer
        self.assertEqual((len(tokenizer), len(tokenizer.get_vocab()), tokenizer.vocab["dog"]), (30522, 30522, 3899))
        self.assertEqual(tokenizer.convert_tokens_to_ids(["dog", "doggg"]), [3899, 100])
        self.assertEqual(sorted(tokenizer.all_special_ids), [0, 100, 101, 102, 103])
        self.assertEqual((tokenizer.cls_token, tokenizer.sep_token_id, tokenizer.is_fast), ("[CLS]", 102, True))
        self.assertEqual(tokenizer("a dog").input_ids, [101, 1037, 3899, 102])
        self.assertEqual((self.dense.modalities, self.dense.supports("image")), (["text"], False))
        self.assertEqual((self.dense.training, self.dense.get_backend()), (False, "torch"))
        self.assertIs(self.dense.train(False), self.dense)
        again = pickle.loads(pickle.dumps(self.dense))
        np.testing.assert_array_equal(again.encode("a dog"), self.dense.encode("a dog"))

    def test_pairs_have_scores_from_0_to_1(self) -> None:
        given = [(QUERIES[0], text) for text in CORPUS]
        scores = self.pairs.predict(given)
        self.assertEqual(scores.shape, (9,))
        self.assertTrue(((scores > 0) & (scores < 1)).all())
        self.assertEqual(np.shape(self.pairs.predict(given[0])), ())
        self.assertIsInstance(self.pairs.predict(given[0], convert_to_numpy=False), torch.Tensor)
        self.assertEqual(self.pairs.prompts, {})
        logits = self.pairs.predict(given, activation_fn=torch.nn.Identity())
        np.testing.assert_allclose(1 / (1 + np.exp(-logits)), scores, atol=1e-6)
        ranked = self.pairs.rank(QUERIES[0], CORPUS, top_k=3, return_documents=True)
        self.assertEqual([one["corpus_id"] for one in ranked], np.argsort(-scores)[:3].tolist())
        self.assertEqual(ranked[0]["text"], CORPUS[ranked[0]["corpus_id"]])
        labels = self.package.CrossEncoder(f"{self.folder.name}/labels", device="cpu")
        self.assertEqual(labels.predict(given).shape, (9, 3))
        np.testing.assert_allclose(labels.predict(given, apply_softmax=True).sum(axis=1), 1, atol=1e-6)
        with self.assertRaises(ValueError):
            labels.rank(QUERIES[0], CORPUS)

    def test_sparse_vectors_are_sparse_tensors(self) -> None:
        vectors = self.sparse.encode(CORPUS, max_active_dims=16)
        self.assertTrue(vectors.is_sparse)
        self.assertEqual(vectors.shape, (9, self.sparse.get_embedding_dimension()))
        self.assertEqual(self.sparse.sparsity(vectors)["active_dims"], 16)
        self.assertEqual(self.sparse.encode("a dog").ndim, 1)
        self.assertEqual(len(self.sparse.encode(CORPUS, convert_to_tensor=False)), 9)
        decoded = self.sparse.decode(vectors, top_k=4)
        self.assertEqual([len(row) for row in decoded], [4] * 9)
        self.assertEqual(decoded[0], sorted(decoded[0], key=lambda one: -one[1]))
        dense = vectors.to_dense()
        self.assertTrue(torch.allclose(self.sparse.similarity(vectors, vectors), dense @ dense.T, rtol=1e-5))
        shared = self.sparse.intersection(vectors[0], vectors[1])
        self.assertTrue(torch.allclose(shared.to_dense(), dense[0] * dense[1], rtol=1e-5))


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
class Theirs(Behaviour, unittest.TestCase):
    package = theirs


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
class Ours(Behaviour, unittest.TestCase):
    package = ours


if __name__ == "__main__":
    unittest.main()
