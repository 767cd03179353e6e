"""Tests the tasks whose labels the caller gives. cases_test compares the scores."""

import asyncio
import sys
import unittest
from pathlib import Path

import bert_infer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import look_alike_labels
from support import python_package as support

LABELS = ["person", "city", "animal"]


class Labels(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = look_alike_labels.write_gliclass(support.temporary_directory(self))
        self.model = bert_infer.Model(self.folder, threads=1)

    def test_texts_have_scores_each(self) -> None:
        texts = ["the lazy dog", "", "ada lived in london"]
        each = self.model.classify(texts, labels=LABELS, top_k=2)
        self.assertEqual([len(one) for one in each], [2, 2, 2])
        self.assertEqual(each, [self.model.classify(text, labels=LABELS, top_k=2) for text in texts])
        self.assertEqual(asyncio.run(self.model.aclassify(texts, labels=LABELS, top_k=2)), each)

    def test_says_what_the_model_reads(self) -> None:
        self.assertTrue(self.model.scores_labels)
        self.assertFalse(self.model.reads_labels)
        self.assertFalse(bert_infer.Model().scores_labels)
        for call, error, message in (
            (lambda: self.model.tag("a", labels=LABELS), bert_infer.UnsupportedError, "for entities"),
            (lambda: bert_infer.Model().classify("a", labels=LABELS), bert_infer.UnsupportedError, "for classes"),
            (lambda: self.model.classify("a", labels=[]), bert_infer.InvalidArgumentError, "no labels"),
            (lambda: self.model.classify("a", labels="person"), TypeError, "labels"),
        ):
            with self.assertRaisesRegex(error, message):
                call()


if __name__ == "__main__":
    unittest.main()
