"""What is no text, and arguments of wrong types: one line that says what was found and what is expected."""

import sys
import types
import unittest
from pathlib import Path
from unittest import mock

import bert_infer
import numpy as np
from bert_infer.ray import Embedder
from bert_infer.sentence_transformers import CrossEncoder

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import python_package as support


class Table:
    """As pandas' DataFrame: an iteration gives the names of its columns."""

    columns = ("text", "label")

    def __iter__(self):
        return iter(self.columns)


class ArrowArray:
    """As one of pyarrow: its items are no str."""

    def to_pylist(self) -> list[str]:
        return ["a dog", "a cat"]

    def __iter__(self):
        return iter([object(), object()])


class WrongInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = bert_infer.Model()

    def test_a_table_is_refused_with_what_to_pass(self) -> None:
        with self.assertRaisesRegex(TypeError, r"a table \(Table\), expected one column of it: table\['text'\]"):
            self.model.encode(Table())
        with self.assertRaisesRegex(TypeError, r"ndarray of shape \(1, 2\), expected one dimension"):
            self.model.encode(np.array([["a", "b"]]))

    def test_arrays_of_arrow_are_taken(self) -> None:
        found = self.model.encode(ArrowArray())
        self.assertTrue(np.array_equal(found, self.model.encode(["a dog", "a cat"])))

    def test_an_item_that_is_no_text_is_named(self) -> None:
        for texts, found in ((["a", None], r"texts\[1\]: found NoneType"), ([1.5], r"texts\[0\]: found float")):
            with self.assertRaisesRegex(TypeError, found):
                self.model.encode(texts)

    def test_arguments_of_a_wrong_type_are_named(self) -> None:
        for options, message in (
            ({"max_length": "5"}, "max_length: found str '5', expected an integer"),
            ({"max_length": -1}, "max_length -1, expected at least 0"),
            ({"batch_tokens": 1.5}, "batch_tokens: found float 1.5, expected an integer"),
            ({"prompt": 3}, "prompt: found int, expected a str"),
        ):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, message):
                self.model.encode(["a"], **options)
        for options, message in (
            ({"threads": -1}, "threads -1, expected at least 0"),
            ({"threads": "2"}, "threads: found str"),
            ({"precision": 8}, "precision: found int, expected a str"),
            ({"revision": None}, "revision: found NoneType"),
        ):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, message):
                bert_infer.Model(**options)

    def test_options_of_sentence_vectors_are_refused_for_token_vectors(self) -> None:
        for options in ({"precision": "int8"}, {"normalize_embeddings": True}, {"truncate_dim": 4}):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "not of token_embeddings"):
                self.model.encode(["a"], output_value="token_embeddings", **options)

    def test_pairs_of_another_number_are_named(self) -> None:
        folder = support.write_model(support.temporary_directory(self), "BertForSequenceClassification", ["relevant"])
        model = CrossEncoder(folder)
        for pairs, message in (
            ([("a", "b", "c")], r"pairs\[0\]: found 3 items, expected two texts"),
            ([("a", "b"), "cd"], r"pairs\[1\]: found str, expected two texts"),
        ):
            for predict in (model.predict, model.model.predict):
                with self.assertRaisesRegex(TypeError, message):
                    predict(pairs)

    def test_a_null_or_a_failed_text_in_a_batch_of_ray_becomes_a_null_and_is_counted(self) -> None:
        batch = {"text": np.array(["a dog", None, "a \ud800 cat", float("nan")], dtype=object)}
        with self.assertWarns(bert_infer.Notice) as notices:
            found = Embedder()(batch)["embedding"]
        messages = [str(one.message) for one in notices.warnings]
        self.assertEqual(messages[1], "2 nulls have no vector")
        self.assertRegex(messages[0], "1 texts failed and have no vector, the first: the text cannot be written")
        self.assertEqual(found[1:], [None] * 3)
        self.assertEqual(found[0], self.model.encode("a dog").tolist())


class Bar(unittest.TestCase):
    def test_is_tqdms_where_it_is_installed(self) -> None:
        bar = mock.Mock()
        package = types.SimpleNamespace(tqdm=mock.Mock(return_value=bar))
        with mock.patch.dict(sys.modules, {"tqdm": types.SimpleNamespace(auto=package), "tqdm.auto": package}):
            bert_infer.Model().encode(["a", "b"], show_progress_bar=True)
        package.tqdm.assert_called_once_with(total=2, unit=" texts")
        self.assertEqual(sum(call.args[0] for call in bar.update.call_args_list), 2)
        bar.close.assert_called_once_with()


if __name__ == "__main__":
    unittest.main()
