"""Compares the table of docs/results/arguments.md with the signatures of the drop-ins.

tests/frameworks/arguments_test.py compares it with the packages that the drop-ins replace."""

import inspect
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bert_infer
import bert_infer.fastembed as fastembed
import bert_infer.sentence_transformers as drop_in

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import arguments_table
from support import python_package as support

CLASSES = (
    drop_in.SentenceTransformer,
    drop_in.CrossEncoder,
    drop_in.SparseEncoder,
    drop_in.MultiVectorEncoder,
    fastembed.TextEmbedding,
    fastembed.SparseTextEmbedding,
    fastembed.LateInteractionTextEmbedding,
    fastembed.TextCrossEncoder,
)
# Arguments that do not affect a model's results.
OTHERS = {"name", "device", "index", "mode", "role", "corpus", "queries"}
OTHERS |= {"document", "words", "verbose"}  # arguments of KeyBERT's and BERTopic's embedders


def methods(of: type) -> Iterator[tuple[str, Any]]:
    """Yields the constructor and the public methods of a class."""
    for name, function in inspect.getmembers(of, callable):
        if name == "__init__" or not name.startswith("_"):
            yield name, function


class Arguments(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = support.write_sentence_model(support.temporary_directory(self))

    def test_of_the_table_have_one_effect_each(self) -> None:
        self.assertGreater(len(arguments_table.effects()), 50)
        for name, effect in arguments_table.effects().items():
            self.assertTrue(effect.startswith(arguments_table.EFFECTS), (name, effect))

    def test_of_the_drop_ins_are_in_the_table(self) -> None:
        known = set(arguments_table.effects()) | arguments_table.other_names() | OTHERS
        for one in CLASSES:
            for method, function in methods(one):
                self.assertEqual(set(arguments_table.arguments(function)) - known, set(), f"{one.__name__}.{method}")

    def test_that_have_no_effect_change_no_vector(self) -> None:
        expected = drop_in.SentenceTransformer(self.folder).encode(["the fox", "a dog"]).tolist()
        model = drop_in.SentenceTransformer(
            self.folder, backend="onnx", trust_remote_code=True, model_kwargs={"attn_implementation": "eager"}
        )
        pool = model.start_multi_process_pool(["cpu"])
        for options in ({"batch_size": 1}, {"pool": pool}, {"chunk_size": 1}):
            self.assertEqual(model.encode(["the fox", "a dog"], **options).tolist(), expected)

    def test_that_are_refused_are_refused_by_name(self) -> None:
        folder = support.write_m3_model(support.temporary_directory(self))
        token_vectors = drop_in.MultiVectorEncoder(folder)
        calls = {
            "modules": lambda value: drop_in.SentenceTransformer(self.folder, modules=value),
            "config_kwargs": lambda value: drop_in.SentenceTransformer(self.folder, config_kwargs=value),
            "token_pooling": lambda value: token_vectors.encode("a", token_pooling=value),
            "cuda": lambda value: fastembed.TextEmbedding(self.folder, cuda=value),
            "device_ids": lambda value: fastembed.TextEmbedding(self.folder, device_ids=value),
            "include_extension": lambda value: fastembed.LateInteractionTextEmbedding(folder).token_count(
                "a", include_extension=value
            ),
            "output_name": lambda value: fastembed.TextEmbedding.add_custom_model(
                "own/a", "CLS", True, fastembed.ModelSource(hf=self.folder), 8, output_name=value
            ),
        }
        refused = {name for name, effect in arguments_table.effects().items() if effect.startswith("refused")}
        self.assertEqual(refused, set(calls))
        for name, call in calls.items():
            with self.assertRaisesRegex(bert_infer.UnsupportedError, name):
                call([1])

    def test_members_that_are_not_there_are_not_there(self) -> None:
        self.assertGreater(len(arguments_table.absent_members()), 10)
        for name in arguments_table.absent_members():
            self.assertFalse(all(hasattr(one, name) for one in CLASSES), name)


if __name__ == "__main__":
    unittest.main()
