"""Tests the drop-in's functions on vectors. tests/frameworks/util_test.py compares them with sentence-transformers."""

import unittest

import bert_infer
import numpy as np
from bert_infer.sentence_transformers import SimilarityFunction, quantize_embeddings, util


class Util(unittest.TestCase):
    """The expected numbers are calculated by hand."""

    ROWS = np.float32([[1, 0], [0, 1], [3, 4], [10, 1]])

    def test_searches(self) -> None:
        found = util.semantic_search(np.float32([2, 1]), self.ROWS, top_k=2, corpus_chunk_size=2)
        self.assertEqual([one["corpus_id"] for one in found[0]], [3, 0])
        self.assertAlmostEqual(found[0][1]["score"], 2 / 5**0.5, places=6)
        (by_dot,) = util.semantic_search(np.float32([[2, 1]]), self.ROWS, score_function=util.dot_score, top_k=1)
        self.assertEqual(by_dot, [{"corpus_id": 3, "score": 21.0}])

    def test_mines_pairs(self) -> None:
        pairs = util.paraphrase_mining_embeddings(self.ROWS, top_k=3, max_pairs=2)
        self.assertEqual([pair[1:] for pair in pairs], [[0, 3], [1, 2]])
        self.assertAlmostEqual(pairs[1][0], 0.8, places=6)

    def test_finds_communities(self) -> None:
        rows = np.float32([[1, 0], [0, 1], [1, 0.01], [0.01, 1], [1, 0.02]])
        found = util.community_detection(rows, threshold=0.9, min_community_size=2)
        self.assertEqual([sorted(group) for group in found], [[0, 2, 4], [1, 3]])
        self.assertEqual(util.community_detection(rows, threshold=0.9, min_community_size=4), [])

    def test_compares(self) -> None:
        self.assertEqual(util.pairwise_euclidean_sim(self.ROWS[:1], self.ROWS[1:2]).tolist(), [-np.float32(2**0.5)])
        self.assertEqual(util.normalize_embeddings(self.ROWS)[2].tolist(), np.float32([0.6, 0.8]).tolist())
        function = SimilarityFunction.to_similarity_fn("dot")
        self.assertEqual(function(self.ROWS[2], self.ROWS[3]).tolist(), [[34.0]])
        self.assertEqual(util.pairwise_dot_score(self.ROWS[2], self.ROWS[3]), 34.0)

    def test_keeps_the_largest_numbers(self) -> None:
        rows = np.float32([[1, -3, 2], [0, 5, -1]])
        self.assertEqual(util.select_max_active_dims(rows, 2).tolist(), [[0, -3, 2], [0, 5, -1]])
        self.assertIs(util.select_max_active_dims(rows, None), rows)
        self.assertEqual(util.select_max_active_dims(rows.astype(np.float64), 2).dtype, np.float64)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "max_active_dims 0, expected at least 1"):
            util.select_max_active_dims(rows, 0)

    def test_compares_angles(self) -> None:
        found = util.pairwise_angle_sim([[3, 4], [0, 2]], [[3, 4], [2, 0]])  # the quotients are 1 and i
        np.testing.assert_allclose(found, [1, 1], rtol=1e-6)
        np.testing.assert_allclose(util.pairwise_angle_sim([[1, 0, 0]], [[0.6, 0, 0.8]]), [0.8 - 0.6], rtol=1e-6)

    def test_compares_token_vectors(self) -> None:
        queries = [self.ROWS[:2], self.ROWS[2:3]]
        documents = [self.ROWS[2:], self.ROWS[:1]]
        self.assertEqual(util.maxsim(queries, documents).tolist(), [[10 + 4, 1 + 0], [34, 3]])
        self.assertEqual(util.mean_maxsim(queries, documents).tolist(), [[7, 0.5], [34, 3]])
        self.assertEqual(util.maxsim_pairwise(queries, documents).tolist(), [14, 3])
        self.assertEqual(util.mean_maxsim_pairwise(queries, documents).tolist(), [7, 3])
        self.assertEqual(util.maxsim(queries[0], documents[0]).tolist(), [[14]])
        self.assertEqual(util.maxsim([], documents).shape, (0, 2))
        masked = util.maxsim(np.stack([self.ROWS[:2]]), documents, a_mask=[[1, 0]], length_normalize=True, device="cpu")
        self.assertEqual(masked.tolist(), [[10, 1]])
        self.assertEqual(util.maxsim(queries[0], documents[0], b_mask=[1, 0]).tolist(), [[3 + 4]])
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "device 'cuda'"):
            util.maxsim(queries, documents, device="cuda")


    def test_rows_of_zeros_are_padding_and_a_document_without_vectors_has_the_least_score(self) -> None:
        """The expected scores are those of sentence-transformers 6.2."""
        queries = np.float32([[[-1, -1], [0, 0]], [[1, 0], [0, 1]]])
        documents = np.float32([[[1, 1], [0, 0]], [[0, 0], [0, 0]]])
        with self.assertWarnsRegex(bert_infer.Notice, "a document without vectors has the score -1e9"):
            self.assertEqual(util.maxsim(queries, documents).tolist(), [[-2, -1e9], [2, -1e9]])
        self.assertEqual(util.mean_maxsim(queries, documents[:1]).tolist(), [[-2], [1]])
        self.assertEqual(util.maxsim([queries[0]], [documents[0]]).tolist(), [[0]])  # a list has no padding
        with self.assertRaisesRegex(ValueError, r"b_mask covers \(2, 1\).*expected \(2, 2\)"):
            util.maxsim(queries, documents, b_mask=[[1], [1]])
        self.assertEqual(util.maxsim(queries, np.zeros((0, 0, 2))).shape, (2, 0))
        with self.assertRaisesRegex(ValueError, "2 queries and 1 documents"):
            util.maxsim_pairwise(queries, documents[:1])

    def test_quantises_nothing_and_token_vectors(self) -> None:
        self.assertEqual(quantize_embeddings([], "int8"), [])
        of_none = quantize_embeddings(np.empty((0, 9), np.float32), "int8", np.zeros((2, 9), np.float32))
        self.assertEqual((of_none.shape, of_none.dtype), ((0, 9), np.int8))
        found = quantize_embeddings([np.float32([[0]]), np.float32([[255], [127.4]])], "uint8")
        self.assertEqual([text.tolist() for text in found], [[[0]], [[255], [127]]])
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "embeddings of int8, expected floats"):
            quantize_embeddings(np.int8([[1]]), "int8")


if __name__ == "__main__":
    unittest.main()
