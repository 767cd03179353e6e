"""Tests texts in the forms of other packages: numpy strings, arrays of them, and dicts with a key per modality."""

import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np
from bert_infer.fastembed import TextEmbedding
from bert_infer.sentence_transformers import SentenceTransformer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support

TEXTS = ["a dog", "the fox"]


class ArrayTexts(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = bert_infer.Model()

    def test_one_str_of_numpy_is_one_text(self) -> None:
        text = np.array(TEXTS)[0]
        self.assertEqual(type(text), np.str_)
        for call in (
            self.model.encode,
            self.model.encode_query,
            lambda value: list(self.model.encode_stream(value))[0],
            lambda value: self.model.tokens(value)["ids"],
            lambda value: self.model.hidden(value)["last_hidden_state"],
            lambda value: self.model.encode([value, "b"], prompt=value),
            lambda value: self.model.encode_chunks(value, tokens=1)[0],
        ):
            self.assertEqual(call(text).tolist(), call("a dog").tolist())
        for call in (
            lambda value: self.model.fill_mask(value + " [MASK]", targets=[value[2:]]),
            lambda value: self.model.rerank(value, [value, "b"], return_documents=True),
            lambda value: bert_infer.semantic_search(self.model, value, [value]),
            lambda value: [row.tolist() for row in TextEmbedding.embed(self.embedder, value)],
        ):
            self.assertEqual(call(text), call("a dog"))

    @property
    def embedder(self) -> TextEmbedding:
        return TextEmbedding(support.write_sentence_model(support.temporary_directory(self)))

    def test_arrays_of_str_are_texts_and_words_and_pairs(self) -> None:
        expected = self.model.encode(TEXTS).tolist()
        for texts in (np.array(TEXTS), np.array(TEXTS, dtype=object), [np.str_(text) for text in TEXTS]):
            self.assertEqual(self.model.encode(texts).tolist(), expected)
        words = ["The", "fox"]
        tokens = self.model.tokens(words, is_split_into_words=True)["tokens"]
        self.assertEqual(self.model.tokens(np.array(words), is_split_into_words=True)["tokens"], tokens)
        folder = support.write_model(support.temporary_directory(self), "BertForSequenceClassification", ["relevant"])
        ranker = bert_infer.Model(folder)
        scores = ranker.predict([tuple(TEXTS)]).tolist()
        self.assertEqual(ranker.predict(list(np.array([TEXTS]))).tolist(), scores)


class Modalities(unittest.TestCase):
    def setUp(self) -> None:
        self.model = SentenceTransformer(support.write_sentence_model(support.temporary_directory(self)))

    def test_the_text_of_a_dict_is_encoded(self) -> None:
        one = self.model.encode("a dog").tolist()
        for call in (self.model.encode, self.model.encode_query, self.model.encode_document):
            self.assertEqual(call({"text": "a dog"}).tolist(), one)
            self.assertEqual(call([{"text": "a dog"}])[0].tolist(), one)
        self.assertEqual(
            self.model.encode(["the fox", {"text": "a dog"}], prompt="the ").tolist(),
            self.model.encode(["the fox", "a dog"], prompt="the ").tolist(),
        )

    def test_a_dict_of_something_else_is_refused(self) -> None:
        for given, found in (
            ({"query": "a dog"}, "'query'"),
            ({"text": "a dog", "image": None}, "'text', 'image'"),
            ({}, ""),
            ({"role": "user", "content": "a dog"}, "'role', 'content'"),
        ):
            for value in (given, [given]):
                for options in ({}, {"output_value": None}):
                    with self.assertRaisesRegex(
                        bert_infer.InvalidArgumentError, rf"keys \[{found}\], expected 'text' alone"
                    ):
                        self.model.encode(value, **options)
        with self.assertRaisesRegex(TypeError, "found NoneType"):
            self.model.encode([{"text": None}])


if __name__ == "__main__":
    unittest.main()
