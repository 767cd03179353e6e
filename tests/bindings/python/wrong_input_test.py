"""Tests values that are not texts, and arguments of wrong types. The error is one line with the found and the expected
value."""

import sys
import types
import unittest
from pathlib import Path
from unittest import mock

import bert_infer
import numpy as np
from bert_infer.ray import Embedder
from bert_infer.sentence_transformers import CrossEncoder, MultiVectorEncoder, SentenceTransformer, SparseEncoder

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support


class Table:
    """Iterates over the names of its columns, as pandas' DataFrame does."""

    columns = ("text", "label")

    def __iter__(self):
        return iter(self.columns)


class ArrowArray:
    """Stands for pyarrow's array, whose items are not str."""

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

    def test_what_is_not_several_is_refused(self) -> None:
        several = {
            "documents": [lambda value: self.model.rerank("a", value), lambda value: self.model.max_sim([[1]], value)],
            "ids": [self.model.decode],
            "sequences": [self.model.encode_ids],
            "pairs": [lambda value: list(self.model.pair_scores(value))],
            "targets": [lambda value: self.model.fill_mask("[MASK]", targets=value)],
            "labels": [lambda value: self.model.zero_shot("a", value)],
        }
        several["documents"].append(lambda value: bert_infer.semantic_search(self.model, "a", value))
        for name, calls in several.items():
            for call in calls:
                for value, found in (("letters", "str"), (3, "int")):
                    with self.assertRaisesRegex(TypeError, f"{name}: found {found}, expected several"):
                        call(value)
                with self.assertRaisesRegex(TypeError, r"a table \(Table\), expected one column of it"):
                    call(Table())
        self.assertEqual(len(self.model.rerank("a dog", ArrowArray())), 2)

    def test_what_is_not_one_text_is_refused(self) -> None:
        for call in (self.model.tokens, self.model.hidden, self.model.fill_mask):
            for value, found in ((["a"], "list"), (("a", "b", "c"), "tuple")):
                if call == self.model.tokens and found == "list":
                    continue  # tokens() accepts a list
                with self.assertRaisesRegex(TypeError, f"found {found}, expected a str or a tuple of two"):
                    call(value)
        with self.assertRaisesRegex(TypeError, "found int, expected a str"):
            self.model.answer("a", 3)

    def test_numbers_of_something_are_whole_and_small_enough(self) -> None:
        for call, name in (
            (lambda value: self.model.encode(["a"], truncate_dim=value), "truncate_dim"),
            (lambda value: self.model.encode(["a"], batch_size=value), "batch_size"),
            (lambda value: self.model.encode(["a"], max_length=value), "max_length"),
            (lambda value: self.model.encode_sparse(["a"], max_active_dims=value), "max_active_dims"),
            (lambda value: self.model.encode_chunks(["a"], tokens=value), "tokens"),
            (lambda value: self.model.classify(["a"], top_k=value), "top_k"),
            (lambda value: self.model.rerank("a", ["b"], top_k=value), "top_k"),
            (lambda value: self.model.fill_mask("[MASK]", top_k=value), "top_k"),
            (lambda value: self.model.answer("a", "b", top_k=value), "top_k"),
            (lambda value: self.model.answer("a", "b", max_answer_tokens=value), "max_answer_tokens"),
            (lambda value: bert_infer.semantic_search(self.model, "a", ["b"], top_k=value), "top_k"),
            (lambda value: bert_infer.Model(threads=value), "threads"),
            (self.model.token, "token_id"),
            (lambda value: self.model.decode([value]), r"ids\[0\]"),
        ):
            for value, message in (("8", ": found str '8', expected an int"), (2**70, f" {2**70}, expected at most")):
                with self.assertRaisesRegex(bert_infer.InvalidArgumentError, name + message):
                    call(value)

    def test_what_is_no_vectors_is_refused(self) -> None:
        for value, found in (("a", "str"), (None, "NoneType"), ([[[1.0]]], r"an array of shape \(1, 1, 1\)")):
            for call, name in (
                (lambda value: self.model.similarity(value, [1.0]), "a"),
                (lambda value: self.model.similarity_pairwise([1.0], value), "b"),
                (lambda value: self.model.max_sim(value, [[[1.0]]]), "query"),
                (bert_infer.Index, "vectors"),
                (bert_infer.Index([[1.0]]).search, "queries"),
            ):
                if value is not None or name != "vectors":
                    with self.assertRaisesRegex(bert_infer.InvalidArgumentError, f"{name}: found {found}, expected"):
                        call(value)

    def test_a_model_is_a_path_or_a_name(self) -> None:
        for value, found in ((3, "int"), (b"a", "bytes")):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, f"name_or_dir: found {found}, expected a str"):
                bert_infer.Model(value)

    def test_a_model_without_what_a_drop_in_needs_is_named(self) -> None:
        folder = support.write_sentence_model(support.temporary_directory(self))
        for drop_in, missing in (
            (CrossEncoder, "no head for sequence classification"),
            (SparseEncoder, "makes no sparse vectors"),
            (MultiVectorEncoder, "makes no token vectors"),
        ):
            with self.assertRaisesRegex(bert_infer.NotFoundError, missing):
                drop_in(folder)
        for options in ({"truncate_dim": "x"}, {"truncate_dim": 0}, {"prompts": ["a"]}, {"model_kwargs": "a"}):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, next(iter(options))):
                SentenceTransformer(folder, **options)

    def test_options_of_sentence_vectors_are_refused_for_token_vectors(self) -> None:
        for options in ({"precision": "int8"}, {"normalize_embeddings": True}, {"truncate_dim": 4}):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "not of token_embeddings"):
                self.model.encode(["a"], output_value="token_embeddings", **options)
        drop_in = SentenceTransformer(support.write_sentence_model(support.temporary_directory(self)))
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "precision='int8' of token_embeddings"):
            drop_in.encode(["a"], output_value="token_embeddings", precision="int8")

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
        missing = type("NAType", (), {})()  # like pandas.NA
        batch = {"text": np.array(["a dog", None, "a \ud800 cat", float("nan"), missing], dtype=object)}
        with self.assertWarns(bert_infer.Notice) as notices:
            found = Embedder()(batch)["embedding"]
        messages = [str(one.message) for one in notices.warnings]
        self.assertEqual((messages[1], notices.warnings[1].message.nulls), ("nulls have no vector", 3))
        self.assertRegex(messages[0], "texts failed and have no vector, the first: the text cannot be written")
        self.assertEqual(notices.warnings[0].message.failures, 1)
        self.assertEqual(found[1:], [None] * 4)
        self.assertEqual(found[0], self.model.encode("a dog").tolist())


    def test_a_batch_of_another_form_or_without_the_column_is_named(self) -> None:
        with self.assertRaisesRegex(TypeError, "found Table, expected a dict of arrays: batch_format='numpy'"):
            Embedder()(Table())
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "no column 'text' in the batch, which has .'a'"):
            Embedder()({"a": np.array(["a dog"])})


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
