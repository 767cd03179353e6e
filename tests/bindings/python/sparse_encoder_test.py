"""Tests sparse vectors, and the drop-in for sentence-transformers' SparseEncoder.

tests/reference/sparse_models.py compares the numbers with the real package."""

import importlib.util
import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np
from bert_infer.sentence_transformers import SparseEncoder

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tests"))
from support import python_package as support

MODEL = str(REPOSITORY / "models" / "builtin")  # this model has a masked LM head


class SparseVectors(unittest.TestCase):
    def test_are_those_of_the_program(self) -> None:
        model = bert_infer.Model(MODEL)
        (ids, weights), _ = model.encode_sparse(["a dog", "a cat"], max_active_dims=5)
        expected = support.program_json("embed", "--model", MODEL, "--kind", "sparse", "--max-active", "5", "a dog")
        self.assertEqual(ids.tolist(), [one["id"] for one in expected["sparse"]])
        self.assertEqual([model.token(i) for i in ids], [one["token"] for one in expected["sparse"]])
        np.testing.assert_array_equal(weights, np.float32([one["weight"] for one in expected["sparse"]]))
        self.assertEqual(model.encode_sparse("a dog", max_active_dims=5)[0].tolist(), ids.tolist())

    def test_are_refused_where_a_model_makes_none(self) -> None:
        folder = support.write_model(support.temporary_directory(self), "BertModel")
        with self.assertRaisesRegex(bert_infer.NotFoundError, "makes no sparse vectors"):
            bert_infer.Model(folder).encode_sparse(["a dog"])


@unittest.skipUnless(importlib.util.find_spec("scipy"), "scipy is not installed")
class Encoder(unittest.TestCase):
    def test_encodes_compares_and_decodes(self) -> None:
        model = SparseEncoder(MODEL, max_active_dims=7)
        rows = model.encode(["a dog", "a cat", "a dog"])
        self.assertEqual(rows.shape, (3, model.get_embedding_dimension()))
        self.assertEqual(np.diff(rows.indptr).tolist(), [7, 7, 7])
        dense = rows.toarray().astype(np.float64)
        for function, expected in (
            ("dot", dense @ dense.T),
            ("euclidean", -np.linalg.norm(dense[:, None] - dense[None], axis=2)),
            ("manhattan", -np.abs(dense[:, None] - dense[None]).sum(axis=2)),
        ):
            model.similarity_fn_name = function
            np.testing.assert_allclose(model.similarity(rows, rows), expected, rtol=1e-5, atol=1e-3)
        pairs = model.decode(rows, top_k=2)
        self.assertEqual([len(row) for row in pairs], [2, 2, 2])
        self.assertGreaterEqual(pairs[0][0][1], pairs[0][1][1])
        self.assertEqual((model.encode_query("a dog") != rows[[0]]).nnz, 0)

    def test_counts_and_intersects(self) -> None:
        model = SparseEncoder(MODEL, max_active_dims=7)
        rows = model.encode(["a dog", "a dog and a cat"])
        size = model.get_embedding_dimension()
        self.assertEqual(model.sparsity(rows), {"active_dims": 7.0, "sparsity_ratio": 1 - 7 / size})
        shared = model.intersection(rows[[0]], rows)
        np.testing.assert_allclose(shared.toarray(), rows.toarray() * rows.toarray()[0], rtol=1e-6)
        pairwise = model.similarity_pairwise(rows, rows[[1, 0]])
        np.testing.assert_allclose(pairwise, np.diag(np.fliplr(model.similarity(rows, rows))), rtol=1e-6)

    def test_names_what_is_not_supported(self) -> None:
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "cuda"):
            SparseEncoder(MODEL, device="cuda")
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "max_active_dims 0"):
            SparseEncoder(MODEL).encode("a", max_active_dims=0)


if __name__ == "__main__":
    unittest.main()
