"""Tests the drop-in for sentence-transformers' CrossEncoder. tests/frameworks compares it with the real package."""

import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np
from bert_infer.sentence_transformers import CrossEncoder

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support


class CrossEncoders(unittest.TestCase):
    PAIRS = (["the fox", "the dog"], ["quick", "lazy"])

    def load(self, *labels: str, **arguments: object) -> CrossEncoder:
        folder = support.temporary_directory(self)
        return CrossEncoder(support.write_model(folder, "BertForSequenceClassification", labels), **arguments)

    def test_one_label_gives_the_sigmoid_of_the_logit(self) -> None:
        model = self.load("relevant")
        logits = np.array([row[0] for row in model.model.pair_scores(map(tuple, self.PAIRS), activated=False)])
        scores = model.predict(list(self.PAIRS))
        np.testing.assert_allclose(scores, 1 / (1 + np.exp(-logits)), rtol=1e-6)
        self.assertEqual(model.predict(self.PAIRS[0]), scores[0])

    def test_several_labels_give_logits_or_their_softmax(self) -> None:
        model = self.load("a", "b", "c")
        logits = model.predict(self.PAIRS)
        self.assertEqual(logits.shape, (2, 3))
        expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict(self.PAIRS, apply_softmax=True), expected, rtol=1e-6)

    def test_takes_arguments_of_earlier_versions(self) -> None:
        model = self.load("relevant")
        folder = model.model.describe()["source"]
        older = CrossEncoder(folder, 1, 3, default_activation_function=None)
        self.assertEqual(older.max_length, 3)
        found = model.predict(sentences=list(self.PAIRS), num_workers=4)
        self.assertTrue(np.array_equal(found, model.predict(list(self.PAIRS))))
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "num_labels 3, but the model's head has 1"):
            CrossEncoder(folder, num_labels=3)

    def test_ranks_with_python_floats(self) -> None:
        model = self.load("relevant")
        documents = ["the dog", "lazy", "quick fox"]
        ranked = model.rank("the fox", documents, top_k=2, return_documents=True)
        scores = model.predict([("the fox", document) for document in documents])
        best = sorted(range(3), key=lambda i: -scores[i])[:2]
        self.assertEqual(ranked, [{"corpus_id": i, "score": float(scores[i]), "text": documents[i]} for i in best])
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "one label"):
            self.load("a", "b").rank("the fox", documents)


if __name__ == "__main__":
    unittest.main()
