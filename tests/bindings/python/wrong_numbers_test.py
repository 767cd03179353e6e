"""Tests wrong arrays and numbers. The error is one line of this package, not of numpy or of the extension module."""

import unittest

import bert_infer
import numpy as np
from bert_infer import vectors
from bert_infer.sentence_transformers import util

ROWS = np.ones((2, 4), dtype=np.float32)
NO_NUMBERS = {
    "a word": "str",
    "words": ["a", "b"],
    "digits": np.array([["1", "2"]]),
    "lists of other lengths": [[1.0], [1.0, 2.0]],
    "None among numbers": [[1.0, None]],
    "complex numbers": np.array([[1j, 2]]),
    "dates": np.array([["2026-01-01"]], dtype="datetime64[D]"),
    "objects": np.array([[object()]]),
    "fields": np.zeros(2, dtype=[("a", "f4"), ("b", "f4")]),
    "a dict": {"a": 1},
}


class WrongNumbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = bert_infer.Model()

    def check(self, call, value: object, message: str = "") -> None:
        with self.assertRaisesRegex((bert_infer.Error, TypeError), message) as raised:
            call(value)
        self.assertNotIn("\n", str(raised.exception))
        self.assertNotIn("incompatible function arguments", str(raised.exception))

    def test_are_refused_where_vectors_are_expected(self) -> None:
        calls = {
            "similarity": lambda value: self.model.similarity(value, ROWS),
            "similarity_pairwise": lambda value: self.model.similarity_pairwise(ROWS, value),
            "max_sim": lambda value: self.model.max_sim(ROWS, [value]),
            "Index": bert_infer.Index,
            "search": bert_infer.Index(ROWS).search,
            "quantize": lambda value: vectors.quantize(value, "binary"),
            "ranges": lambda value: vectors.quantize(ROWS, "int8", value),
            "cos_sim": lambda value: util.cos_sim(value, ROWS),
            "normalize_embeddings": util.normalize_embeddings,
            "semantic_search": lambda value: util.semantic_search(value, ROWS),
            "the corpus of semantic_search": lambda value: util.semantic_search(ROWS, value),
            "community_detection": util.community_detection,
            "maxsim": lambda value: util.maxsim([value], [ROWS]),
            "quantize_embeddings": lambda value: util.quantize_embeddings(value, "int8"),
            "pairwise_angle_sim": lambda value: util.pairwise_angle_sim(value, ROWS),
        }
        for name, call in calls.items():
            for what, value in NO_NUMBERS.items():
                with self.subTest(name, what=what):
                    self.check(call, value, r"found .*, expected numbers \[vectors, size\]|expected one shape")

    def test_of_other_shapes_are_named(self) -> None:
        for call, value, message in (
            (lambda value: vectors.quantize(ROWS, "int8", value), ROWS[:, :3], r"shape \(2, 3\), expected \(2, 4\)"),
            (lambda value: util.cos_sim(value, ROWS), [[1.0], [1.0, 2.0]], "of shapes .*, expected one shape"),
            (lambda value: util.pairwise_angle_sim(value, ROWS), ROWS[:1], r"\(1, 4\) and \(2, 4\), expected equal"),
            (lambda value: util.maxsim_pairwise(value, [ROWS]), [], "0 queries and 1 documents, expected as many"),
            (util.normalize_embeddings, 3, "embeddings: found int"),
            (lambda value: util.truncate_embeddings(value, 1), None, "embeddings: found NoneType"),
            (lambda value: util.truncate_embeddings(ROWS, value), "x", "truncate_dim: found str"),
            (util.to_scipy_coo, ROWS, "found ndarray, expected a sparse tensor"),
        ):
            self.check(call, value, message)

    def test_that_are_no_integers_are_named_in_one_line(self) -> None:
        for value in (ROWS, np.ones((9, 9, 9)), "8", 1.5, None, [1], True):
            if value is not None:
                self.check(lambda value: self.model.encode("a", truncate_dim=value), value, "truncate_dim: found")
            self.check(lambda value: self.model.decode([value]), value, r"ids\[0\]: found")

    def test_of_a_change_are_named(self) -> None:
        for heads, message in (
            ([(1,)], r"without_heads\[0\]: found \(1,\), expected \(layer, head\)"),
            (["ab"], r"without_heads\[0\]: found 'ab', expected"),
            ([(0, 1), (1, 2.5)], r"without_heads\[1\], its head: found float 2.5, expected an integer"),
            ([(-1, 0)], r"without_heads\[0\], its layer -1, expected at least 0"),
            (3, "without_heads: found int, expected several"),
        ):
            self.check(lambda value: self.model.intervene(without_heads=value), heads, message)
        for patch, message in (
            ((1, 1), r"patches\[0\]: found \(1, 1\), expected \(layer, position, vector\)"),
            ((1, "x", [1.0]), r"patches\[0\], its position: found str"),
            ((1, 1, "x"), r"patches\[0\], its vector: found str, expected numbers"),
        ):
            self.check(lambda value: self.model.intervene(patches=[value]), patch, message)

    def test_of_chunks_are_named(self) -> None:
        for spans, message in (
            ([[(0, 1)]], "spans: found 1 lists, expected one for each text"),
            ([[(0, 1)]] * 3, "spans: found 3 lists, expected one for each text"),
            (3, "spans: found int, expected several"),
        ):
            self.check(lambda value: self.model.encode_chunks(["a dog", "a cat"], spans=value), spans, message)

    def test_words_that_are_chosen_from_are_words(self) -> None:
        for call, name in (
            (lambda value: self.model.encode("a", precision=value), "precision"),
            (lambda value: self.model.encode("a", output_value=value), "output_value"),
            (lambda value: self.model.encode("a", prompt_name=value), "prompt_name"),
            (lambda value: self.model.tokens("a", offsets=value), "offsets"),
            (lambda value: self.model.tag("a", offsets=value), "offsets"),
            (lambda value: self.model.answer("a", "b", offsets=value), "offsets"),
            (lambda value: self.model.encode_tokens("a", role=value), "role"),
            (lambda value: self.model.zero_shot("a", ["b"], hypothesis_template=value), "hypothesis_template"),
            (lambda value: vectors.similarity(value, ROWS, ROWS), "similarity"),
        ):
            for value in (3, ["a"], np.array(["a", "b"]), {"a": 1}):
                self.check(call, value, f"{name}.*, expected")
        self.check(lambda value: self.model.encode("a", prompt_name=value), "x", "'x', but the model has no prompts")

    def test_that_are_not_finite_are_refused_by_an_index(self) -> None:
        index = bert_infer.Index(ROWS)
        for number in ("nan", "inf", "-inf"):
            rows = np.ones((3, 4))
            rows[1, 2] = float(number)
            for call, name in ((bert_infer.Index, "vectors"), (index.add, "vectors"), (index.search, "queries")):
                with self.assertRaisesRegex(
                    bert_infer.NonFiniteError, rf"{name}\[1\] has the number {number}, expected finite"
                ):
                    call(rows)
        self.assertEqual(len(index), 2)

    def test_lists_of_arrays_and_fractions_are_numbers(self) -> None:
        from fractions import Fraction

        expected = self.model.similarity([[0.5, 1.0]], [[1.0, 0.0]])
        for value in ([np.array([0.5, 1.0])], [[Fraction(1, 2), 1]], np.array([[0.5, 1.0]], dtype=object)):
            self.assertEqual(self.model.similarity(value, [[1, 0]]).tolist(), expected.tolist())
        spans = self.model.encode_chunks("a dog", tokens=1)[1]
        self.assertEqual(self.model.encode_chunks("a dog", spans=spans)[1].tolist(), spans.tolist())


class Errors(unittest.TestCase):
    def test_are_those_of_python_too(self) -> None:
        for error, of_python in (
            (bert_infer.NotFoundError, FileNotFoundError),
            (bert_infer.UnsupportedError, ValueError),
            (bert_infer.InvalidArgumentError, ValueError),
        ):
            self.assertTrue(issubclass(error, of_python), error)
            self.assertEqual(str(error("a line")), "a line")


if __name__ == "__main__":
    unittest.main()
