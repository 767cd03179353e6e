"""Tests the transformer for scikit-learn: scikit-learn's checks of estimators, a pipeline, and pickling. Needs
scikit-learn."""

import pickle
import unittest

import bert_infer
import numpy as np
from bert_infer.sklearn import TextEmbedder
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

TEXTS = ["A man plays the guitar.", "She sings a song.", "The stock market fell.", "The bank raised its rates."]


class Sklearn(unittest.TestCase):
    def test_passes_the_checks_of_estimators(self) -> None:
        checks = check_estimator(TextEmbedder(), on_fail=None, on_skip=None)
        failed = {check["check_name"]: check["exception"] for check in checks if check["status"] == "failed"}
        self.assertEqual(failed, {})
        self.assertIn("passed", {check["status"] for check in checks})
        print("skipped:", *(check["check_name"] for check in checks if check["status"] == "skipped"))

    def test_is_a_step_of_a_pipeline(self) -> None:
        pipeline = make_pipeline(TextEmbedder(), LogisticRegression(C=100)).fit(TEXTS, [0, 0, 1, 1])
        self.assertEqual(pipeline.predict(["He plays a song on the guitar.", "The market fell."]).tolist(), [0, 1])

    def test_a_str_in_the_place_of_texts_is_refused_as_by_scikit_learn(self) -> None:
        with self.assertRaisesRegex(ValueError, "string object received"):
            CountVectorizer().fit_transform("one str")
        fitted = TextEmbedder().fit(TEXTS)
        for call in (TextEmbedder().fit, TextEmbedder().fit_transform, fitted.transform):
            for text, found in (("one str", "str"), (np.str_("one str"), "str_"), (b"one", "bytes")):
                with self.assertRaisesRegex(ValueError, f"X: found {found}, expected an iterable over texts"):
                    call(text)

    def test_a_pickle_has_no_weights_and_gives_the_same_vectors(self) -> None:
        embedder = TextEmbedder(truncate_dim=8, normalize_embeddings=True).fit(TEXTS)
        pickled = pickle.dumps(embedder)
        self.assertLess(len(pickled), 2000)
        expected = bert_infer.Model().encode(TEXTS, truncate_dim=8, normalize_embeddings=True)
        self.assertTrue(np.array_equal(pickle.loads(pickled).transform(TEXTS), expected))
        self.assertEqual(embedder.get_feature_names_out().tolist(), [f"embedding{i}" for i in range(8)])


if __name__ == "__main__":
    unittest.main()
