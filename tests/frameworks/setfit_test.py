"""Compares a head of SetFit on the drop-in's vectors with one on sentence-transformers'. Needs setfit, and in
BERT_TEST_MINILM the directory of all-MiniLM-L6-v2."""

import unittest

import bert_infer.sentence_transformers as ours
import numpy as np
import sentence_transformers as theirs
from sentence_transformers_test import MODEL
from setfit import SetFitModel
from sklearn.linear_model import LogisticRegression

TEXTS = ["A good film.", "I loved it.", "A terrible film.", "I hated it."]


class SetFit(unittest.TestCase):
    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_a_head_learns_and_predicts_the_same(self) -> None:
        probabilities = []
        for body in (ours.SentenceTransformer(MODEL), theirs.SentenceTransformer(MODEL, device="cpu")):
            model = SetFitModel(model_body=body, model_head=LogisticRegression())
            model.fit(TEXTS, [1, 1, 0, 0], num_epochs=1)
            self.assertEqual(model.predict(["A great movie.", "Awful."]).tolist(), [1, 0])
            probabilities.append(np.asarray(model.predict_proba(TEXTS)))
        np.testing.assert_allclose(*probabilities, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
