"""Tests vectors' quantisation and similarity. The expected numbers are calculated by hand."""

import unittest

import bert_infer
import numpy as np
from bert_infer import vectors


class Quantize(unittest.TestCase):
    VALUES = np.float32([[0, -255], [255, 255], [127.4, 0]])

    def test_integers_divide_the_range_of_each_dimension_into_256(self) -> None:
        with self.assertWarnsRegex(bert_infer.Notice, "those of few vectors"):
            found = vectors.quantize(self.VALUES, "uint8")
        self.assertEqual((found.dtype, found.tolist()), (np.uint8, [[0, 0], [255, 255], [127, 127]]))
        with self.assertWarns(bert_infer.Notice):
            found = vectors.quantize(self.VALUES, "int8")
        self.assertEqual((found.dtype, found.tolist()), (np.int8, [[-128, -128], [127, 127], [-1, -1]]))

    def test_given_ranges_clip(self) -> None:
        found = vectors.quantize(self.VALUES, "uint8", ranges=[[0, 0], [127.5, 255]])
        self.assertEqual(found.tolist(), [[0, 0], [255, 255], [254, 0]])

    def test_bits_are_the_signs(self) -> None:
        values = np.float32([[1, -1, 0, 2, 3, -4, 5, 6, 7]])
        self.assertEqual(vectors.quantize(values, "ubinary").tolist(), [[0b10011011, 0b10000000]])
        self.assertEqual(vectors.quantize(values, "binary").tolist(), [[0b10011011 - 128, 0]])

    def test_one_vector_has_no_ranges(self) -> None:
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "int8 of one vector"):
            vectors.quantize(self.VALUES[:1], "int8")


class Similarity(unittest.TestCase):
    A = np.float32([[3, 4], [0, 0]])
    B = np.float32([[4, 3], [-3, -4]])

    def test_each_with_each(self) -> None:
        for function, expected in [
            ("cosine", [[0.96, -1], [0, 0]]),
            ("dot", [[24, -25], [0, 0]]),
            ("euclidean", [[-(2**0.5), -10], [-5, -5]]),
            ("manhattan", [[-2, -14], [-7, -7]]),
        ]:
            np.testing.assert_allclose(vectors.similarity(function, self.A, self.B), expected, rtol=1e-6)
            pairs = vectors.similarity_pairwise(function, self.A, self.B)
            np.testing.assert_allclose(pairs, np.diag(expected), rtol=1e-6)

    def test_sizes_must_agree(self) -> None:
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, r"\(2, 2\) and \(1, 3\)"):
            vectors.similarity("dot", self.A, np.zeros(3))


if __name__ == "__main__":
    unittest.main()
