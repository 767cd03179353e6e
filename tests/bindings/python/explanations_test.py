"""Compares explanations of scores, layers' outputs and changed forward passes with the program's numbers."""

import pickle
import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support

A, B = "The dogs bark.", "A dog sleeps."


class Explanations(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = bert_infer.Model(threads=1)

    def test_terms_of_a_similarity_sum_to_it(self) -> None:
        why = self.model.explain_similarity(A, B)
        self.assertAlmostEqual(why["pairs"].sum(), float(support.program("similarity", A, B)), delta=2e-6)
        self.assertAlmostEqual(why["group_pairs"].sum(), why["score"], delta=1e-6)
        self.assertEqual(why["pairs"].shape, (len(why["first"]["tokens"]), len(why["second"]["tokens"])))
        support.check_shown(self, why, "similarity", "--explain", A, B)

    def test_other_kinds(self) -> None:
        why = self.model.explain_similarity(A, B, pooling="cls")
        self.assertEqual(why["not_additive"], "pooling cls reads one token")
        left_out = sum((why["score"] - why[text]["without"]).sum() for text in ("first", "second"))
        self.assertAlmostEqual(why["score"] - left_out, why["remainder"], delta=1e-12)
        sparse = self.model.explain_similarity(A, B, kind="sparse")
        self.assertAlmostEqual(sparse["terms"].sum(), sparse["score"], delta=1e-5)
        self.assertEqual(len(sparse["entries"]), len(sparse["terms"]))

    def test_labels_without_each_word(self) -> None:
        folder = support.temporary_directory(self)
        model = bert_infer.Model(support.write_model(folder, "BertForSequenceClassification", ["no", "yes"]))
        why = model.explain_labels("the quick fox")
        self.assertEqual(why["words"], ["the", "quick", "fox"])
        self.assertEqual(why["without"].shape, (3, 2))
        best = why["labels"][int(why["scores"].argmax())]
        self.assertEqual(best, model.classify("the quick fox")[0]["label"])
        lost = (why["scores"] - why["without"]).sum(axis=0)
        np.testing.assert_allclose(why["scores"] - lost, why["remainders"], atol=1e-12)

    def test_words_of_each_layer(self) -> None:
        text = "a dog [MASK] an animal"
        found = self.model.fill_mask_layers(text)
        self.assertEqual(found["words"][-1][0][0], self.model.fill_mask(text)[0][0]["token"])
        self.assertEqual(found["scores"].shape, (13, 1, 3))
        self.assertEqual(found["last_word"].shape, (1, 13))
        support.check_shown(self, found, "fill-mask", "--layers", text)

    def test_importance_of_heads(self) -> None:
        found = self.model.head_importance(A, ablation="mean")
        self.assertEqual(found["loss"].shape, (12, 5))
        support.check_shown(self, found, "attention", "--importance", "--ablation", "mean", A)

    def test_a_changed_model_beside_the_model(self) -> None:
        whole = self.model.encode(A)
        changed = self.model.intervene(without_heads=[(3, 2)]).encode(A)
        self.assertGreater(np.abs(changed - whole).max(), 1e-4)
        np.testing.assert_array_equal(self.model.encode(A), whole)
        lost = 1 - float(changed @ whole / np.linalg.norm(changed) / np.linalg.norm(whole))
        self.assertAlmostEqual(self.model.head_importance(A)["loss"][3, 2], lost, delta=1e-5)

    def test_patches_take_another_texts_vectors(self) -> None:
        other = self.model.hidden("A cat runs.", states=True)["hidden_states"]
        tokens = len(self.model.hidden("A dog runs.")["tokens"])
        self.assertEqual(other.shape[1], tokens)
        changed = self.model.intervene(patches=[(12, place, other[12, place]) for place in range(tokens)])
        np.testing.assert_array_equal(changed.encode("A dog runs."), self.model.encode("A cat runs."))

    def test_a_changed_model_is_a_model(self) -> None:
        whole = self.model.encode(A)
        with self.model.intervene(without_heads=[(3, 2)]) as first, first.intervene(without_heads=[(5, 0)]) as changed:
            both = changed.encode(A)
            again = pickle.loads(pickle.dumps(changed))
        np.testing.assert_array_equal(again.encode(A), both)
        np.testing.assert_array_equal(self.model.intervene(without_heads=[(3, 2), (5, 0)]).encode(A), both)
        np.testing.assert_array_equal(self.model.encode(A), whole)

    def test_wrong_arguments(self) -> None:
        for wrong in ({"without_heads": [(99, 0)]}, {"patches": [(0, 0, [1.0])]}, {"ablation": "half"}):
            with self.assertRaises(bert_infer.InvalidArgumentError):
                self.model.intervene(**wrong)
        for wrong in ({"kind": "all"}, {"pooling": "sum"}, {"kind": "sparse", "pooling": "cls"}):
            with self.assertRaises(bert_infer.InvalidArgumentError):
                self.model.explain_similarity(A, B, **wrong)
        with self.assertRaises(TypeError):
            self.model.explain_labels(1)


if __name__ == "__main__":
    unittest.main()
