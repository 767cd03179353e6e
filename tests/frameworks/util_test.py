"""Compares the drop-in's functions on vectors with those of sentence-transformers, also for sparse and 16-bit tensors,
padded token vectors, and documents without vectors."""

import unittest
import warnings

import bert_infer
import numpy as np
import torch
from bert_infer.sentence_transformers import util as ours
from sentence_transformers import util as theirs

DENSE = ("cos_sim", "dot_score", "euclidean_sim", "manhattan_sim")
SCORES = ("maxsim", "mean_maxsim", "maxsim_pairwise", "mean_maxsim_pairwise")


def draw(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


class Similarities(unittest.TestCase):
    def check(self, name: str, *arguments: object, **options: object) -> None:
        found, expected = getattr(ours, name)(*arguments, **options), getattr(theirs, name)(*arguments, **options)
        self.assertEqual((tuple(found.shape), found.dtype), (tuple(expected.shape), expected.dtype), name)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-6, err_msg=name)

    def test_of_sparse_tensors(self) -> None:
        a, b = (torch.relu(draw(n, 40, seed=n) - 1) for n in (3, 4))
        for left, right in ((a.to_sparse(), b.to_sparse()), (a.to_sparse(), b), (a, b.to_sparse())):
            for name in DENSE:
                self.check(name, left, right)
                self.check(f"pairwise_{name}", left, right[:3] if right is b else b[:3].to_sparse())
        normalised = ours.normalize_embeddings(a.to_sparse())
        self.assertTrue(normalised.is_sparse)
        np.testing.assert_allclose(
            normalised.to_dense(), theirs.normalize_embeddings(a.to_sparse()).to_dense(), rtol=1e-6
        )

    def test_of_sparse_tensors_in_a_list(self) -> None:
        rows = [row.to_sparse() for row in torch.relu(draw(3, 40) - 1)]
        for name in DENSE:
            self.check(name, rows, rows)

    def test_of_16_bits(self) -> None:
        for kind in (torch.bfloat16, torch.float16):
            a, b = draw(3, 8).to(kind), draw(4, 8, seed=2).to(kind)
            for name in DENSE:
                self.check(name, a, b)
                self.check(f"pairwise_{name}", a, b[:3])
            found = ours.maxsim([a], [b])
            np.testing.assert_allclose(found, theirs.maxsim([a.float()], [b.float()]), rtol=1e-6)

    def test_of_token_vectors(self) -> None:
        queries, documents = ([draw(n, 8, seed=n) for n in sizes] for sizes in ((2, 4, 3), (5, 1, 3)))
        for name in SCORES:
            self.check(name, queries, documents)
            self.check(name, queries[:1], documents[:1])
            self.check(name, queries[0], documents[0])
            self.check(name, torch.nn.utils.rnn.pad_sequence(queries, batch_first=True),
                       torch.nn.utils.rnn.pad_sequence(documents, batch_first=True).numpy())

    def test_of_padding_whose_similarity_would_be_the_largest(self) -> None:
        query, document = -torch.ones(1, 2, 4), torch.zeros(1, 3, 4)
        document[0, 0] = 1
        for name in SCORES:
            self.check(name, query, document)
        self.assertEqual(ours.maxsim(query, document).tolist(), [[-8.0]])

    def test_of_masked_vectors(self) -> None:
        queries, documents = draw(2, 3, 8), draw(2, 4, 8, seed=2)
        for a_mask, b_mask in (
            (torch.tensor([[1, 1, 0], [1, 0, 0]]), torch.tensor([[1, 0, 1, 1], [0, 1, 0, 0]])),
            ([[1, 0.5, 0], [1, 1, 1]], None),
            ([torch.tensor([1, 1]), torch.tensor([1, 1, 1])], np.array([[True] * 4, [False, True] * 2])),
        ):
            a_mask = torch.tensor(a_mask) if isinstance(a_mask[0], list) else a_mask
            for name in SCORES:
                self.check(name, queries, documents, a_mask=a_mask, b_mask=b_mask)
        for module in (ours, theirs):
            with self.assertRaisesRegex(ValueError, "b_mask.* covers"):
                module.maxsim(queries, documents, b_mask=torch.ones(2, 3))

    def test_of_documents_without_vectors(self) -> None:
        documents = [draw(3, 8), torch.zeros(0, 8)]
        with self.assertWarnsRegex(bert_infer.Notice, "without vectors has the score -1e9"):
            self.check("maxsim", [draw(2, 8)], documents)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in SCORES:
                self.check(name, [draw(2, 8), draw(4, 8)], documents)
                self.check(name, draw(2, 2, 8), torch.zeros(2, 3, 8))
                self.check(name, [torch.zeros(0, 8)] * 2, documents)

    def test_of_nothing(self) -> None:
        for name in SCORES[:2]:
            self.check(name, [], [draw(2, 8)])
            self.check(name, [draw(2, 8)], [])
        for name in SCORES[2:]:
            self.check(name, [], [])


class Quantized(unittest.TestCase):
    def check(self, embeddings: object, *options: object) -> None:
        for precision in ("float32", "int8", "uint8", "binary", "ubinary"):
            found = ours.quantize_embeddings(embeddings, precision, *options)
            expected = theirs.quantize_embeddings(embeddings, precision, *options)
            if not isinstance(expected, list):
                found, expected = [found], [expected]
            for one, other in zip(found, expected, strict=True):
                self.assertEqual((one.dtype, one.shape), (other.dtype, other.shape))
                self.assertTrue(np.array_equal(one, other) or np.mean(one == other) > 0.99)

    def test_of_nothing(self) -> None:
        self.assertEqual(ours.quantize_embeddings([], "int8"), theirs.quantize_embeddings([], "int8"))
        self.check(np.zeros((0, 12), dtype=np.float32))

    def test_of_the_token_vectors_of_texts(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.check([draw(n, 12, seed=n) for n in (60, 70, 2)])
            self.check(draw(120, 12), None, draw(50, 12, seed=3).numpy())


if __name__ == "__main__":
    unittest.main()
