"""Tests the package's type annotations, and results as JSON."""

import json
import typing
import unittest

import bert_infer
import numpy as np
from bert_infer import types


def returned(function: object) -> str:
    return function.__annotations__["return"]


class Types(unittest.TestCase):
    def test_of_results_depend_on_whether_one_text_is_given(self) -> None:
        for function, of_one in (
            (bert_infer.Model.classify, "list[LabelScore]"),
            (bert_infer.Model.zero_shot, "list[LabelScore]"),
            (bert_infer.Model.tag, "list[Entity]"),
            (bert_infer.semantic_search, "list[Ranked]"),
        ):
            found = [returned(one) for one in typing.get_overloads(function)]
            self.assertEqual((found[0], f"list[{of_one}]" in found), (of_one, True))
            for annotation in (*found, returned(function)):
                self.assertNotIn("Any", annotation)
                for name in annotation.replace("list[", "").replace("]", "").split(" | "):
                    self.assertTrue(hasattr(types, name), name)


class Plain(unittest.TestCase):
    def test_results_are_lists_and_numbers_which_json_writes(self) -> None:
        model = bert_infer.Model()
        for result in (
            model.encode(["a dog", "a cat"]),
            model.encode("a dog"),
            model.encode("a dog")[0],
            model.tokens("a dog"),
            model.hidden("a dog", states=True),
            model.encode_sparse(["a dog"]),
            model.encode_chunks("a dog", tokens=1),
            model.fill_mask("a [MASK]"),
            model.explain("a dog"),
            bert_infer.Index([[1.0, 2.0]]).search([1.0, 2.0]),
            np.str_("a dog"),
        ):
            found = bert_infer.plain(result)
            self.assertEqual(json.loads(json.dumps(found)), found)
        self.assertEqual(bert_infer.plain({"a": (np.float32(0.5), np.arange(2))}), {"a": [0.5, [0, 1]]})


if __name__ == "__main__":
    unittest.main()
