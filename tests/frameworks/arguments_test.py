"""docs/PYTHON.md's table of arguments, beside the signatures of the packages that the drop-ins stand for.

An argument that a package gets and the table does not name fails here. Needs sentence-transformers and fastembed (each
is skipped where it is not installed), the built package, and in BERT_TEST_MINILM the directory of all-MiniLM-L6-v2.
"""

import importlib.util
import inspect
import os
import re
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bert_infer
import bert_infer.fastembed as our_fastembed
import bert_infer.sentence_transformers as ours

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import python_package as support

MODEL = os.environ.get("BERT_TEST_MINILM", "")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "PYTHON.md"
REFUSED_METHODS = {"add_custom_model", "list_supported_models"}
EFFECTS = ("as there", "no effect", "refused")


def table() -> dict[str, str]:
    """What each argument does here, by the page."""
    section = PAGE.read_text(encoding="utf-8").partition("### Arguments\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|$", section, re.MULTILINE)
    return {name: effect for names, effect in rows for name in re.findall(r"`(\w+)`", names)}


def installed(package: str) -> Any:
    """A decorator: the test is skipped where the package is missing."""
    return unittest.skipUnless(importlib.util.find_spec(package), f"{package} is not installed")


def methods(our_class: type, their_class: type) -> Iterator[tuple[str, Any]]:
    """The public methods that both classes have, and the constructors."""
    for name, theirs in inspect.getmembers(their_class, callable):
        module = inspect.getmodule(theirs)
        if (name == "__init__" or not name.startswith("_")) and module and not module.__name__.startswith("torch."):
            if hasattr(our_class, name) and name not in REFUSED_METHODS:
                yield name, theirs


def arguments(function: Any) -> dict[str, Any]:
    """The names of the function's arguments and their defaults."""
    by_place = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.kind not in by_place and one.name != "self"}


class Arguments(unittest.TestCase):
    def check(self, pairs: list[tuple[type, type]]) -> None:
        known = table()
        for our_class, their_class in pairs:
            count = 0
            for method, theirs in methods(our_class, their_class):
                for name in arguments(theirs):
                    count += 1
                    self.assertIn(name, known, f"{their_class.__name__}.{method}")
            self.assertGreater(count, 10, their_class.__name__)

    def test_each_has_one_effect(self) -> None:
        self.assertGreater(len(table()), 50)
        for name, effect in table().items():
            self.assertTrue(effect.startswith(EFFECTS), (name, effect))

    @installed("sentence_transformers")
    def test_of_sentence_transformers_are_known(self) -> None:
        import sentence_transformers as theirs

        names = ("SentenceTransformer", "CrossEncoder", "SparseEncoder", "MultiVectorEncoder")
        self.check([(getattr(ours, name), getattr(theirs, name)) for name in names])

    @installed("fastembed")
    def test_of_fastembed_are_known(self) -> None:
        import fastembed
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        names = ("TextEmbedding", "SparseTextEmbedding", "LateInteractionTextEmbedding")
        pairs: list[tuple[type, type]] = [(getattr(our_fastembed, name), getattr(fastembed, name)) for name in names]
        self.check([*pairs, (our_fastembed.TextCrossEncoder, TextCrossEncoder)])

    @installed("sentence_transformers")
    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_defaults_of_sentence_transformers_are_taken(self) -> None:
        import sentence_transformers as theirs
        from sentence_transformers_test import save_random_model
        from transformers import BertForMaskedLM, BertForSequenceClassification

        with tempfile.TemporaryDirectory() as folder:
            save_random_model(BertForSequenceClassification, f"{folder}/pairs", num_labels=1)
            save_random_model(BertForMaskedLM, f"{folder}/sparse")
            theirs.MultiVectorEncoder(MODEL, device="cpu").save(f"{folder}/tokens")
            for our_class, their_class, directory, inputs in (
                (ours.SentenceTransformer, theirs.SentenceTransformer, MODEL, ["a dog", "a cat"]),
                (ours.CrossEncoder, theirs.CrossEncoder, f"{folder}/pairs", [("a dog", "a cat")]),
                (ours.SparseEncoder, theirs.SparseEncoder, f"{folder}/sparse", ["a dog", "a cat"]),
                (ours.MultiVectorEncoder, theirs.MultiVectorEncoder, f"{folder}/tokens", ["a dog", "a cat"]),
            ):
                settings = arguments(their_class.__init__)
                del settings["model_name_or_path"]
                model = our_class(directory, **settings)
                for method in ("encode", "encode_query", "encode_document", "predict"):
                    if (theirs_method := getattr(their_class, method, None)) is not None:
                        defaults = arguments(theirs_method)
                        del defaults["inputs"]
                        self.assertEqual(len(getattr(model, method)(inputs, **defaults)), len(inputs), method)

    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_what_the_table_says_is_refused_is_refused_by_name(self) -> None:
        refused = {name for name, effect in table().items() if effect.startswith("refused")}
        self.assertGreater(len(refused), 3)
        folder = support.write_m3_model(support.temporary_directory(self))
        token_vectors = ours.MultiVectorEncoder(folder)
        calls = {
            "modules": lambda value: ours.SentenceTransformer(MODEL, modules=value),
            "config_kwargs": lambda value: ours.SentenceTransformer(MODEL, config_kwargs=value),
            "token_pooling": lambda value: token_vectors.encode("a", token_pooling=value),
            "cuda": lambda value: our_fastembed.TextEmbedding(MODEL, cuda=value),
            "device_ids": lambda value: our_fastembed.TextEmbedding(MODEL, device_ids=value),
        }
        self.assertEqual(refused, set(calls))
        for name, call in calls.items():
            with self.assertRaisesRegex(bert_infer.UnsupportedError, name):
                call([1])


if __name__ == "__main__":
    unittest.main()
