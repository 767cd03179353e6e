"""Compares docs/results/arguments.md with the signatures of the packages that the drop-ins replace.

A test fails if a package has an argument or a member that the page does not name. Needs the built package, in
BERT_TEST_MINILM the directory of all-MiniLM-L6-v2, and sentence-transformers and fastembed; tests of a missing package
are skipped.
"""

import importlib.util
import inspect
import os
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bert_infer.fastembed as our_fastembed
import bert_infer.sentence_transformers as ours

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.arguments_table import absent_functions, absent_members, arguments, effects

MODEL = os.environ.get("BERT_TEST_MINILM", "")
REFUSED_METHODS = {"list_supported_models"}
NAMES = ("SentenceTransformer", "CrossEncoder", "SparseEncoder", "MultiVectorEncoder")
# Attributes that the drop-in's models have after loading.
FIELDS = {"max_seq_length", "max_length", "model", "num_labels", "similarity_fn_name"}


def installed(package: str) -> Any:
    """Returns a decorator that skips the test if the package is missing."""
    return unittest.skipUnless(importlib.util.find_spec(package), f"{package} is not installed")


def methods(our_class: type, their_class: type) -> Iterator[tuple[str, Any]]:
    """Yields the constructor and the public methods that both classes have."""
    for name, theirs in inspect.getmembers(their_class, callable):
        module = inspect.getmodule(theirs)
        if (name == "__init__" or not name.startswith("_")) and module and not module.__name__.startswith("torch."):
            if hasattr(our_class, name) and name not in REFUSED_METHODS:
                yield name, theirs


class Arguments(unittest.TestCase):
    def check(self, pairs: list[tuple[type, type]]) -> None:
        known = effects()
        for our_class, their_class in pairs:
            count = 0
            for method, theirs in methods(our_class, their_class):
                for name in arguments(theirs):
                    count += 1
                    self.assertTrue(name in known, f"{their_class.__name__}.{method}: {name}")
            self.assertGreater(count, 10, their_class.__name__)

    @installed("sentence_transformers")
    def test_of_sentence_transformers_are_known(self) -> None:
        import sentence_transformers as theirs

        self.check([(getattr(ours, name), getattr(theirs, name)) for name in NAMES])

    @installed("sentence_transformers")
    def test_members_of_sentence_transformers_are_there_or_named(self) -> None:
        import sentence_transformers as theirs
        import torch

        absent = set()
        for name in NAMES:
            there = {member for member in dir(getattr(theirs, name)) if not member.startswith("_")}
            absent |= there - set(dir(torch.nn.Module)) - set(dir(getattr(ours, name))) - FIELDS
        self.assertEqual(absent, absent_members() - set(NAMES))

    @installed("sentence_transformers")
    def test_functions_on_vectors_are_there_with_their_arguments_or_named(self) -> None:
        from sentence_transformers import util as theirs

        absent = set()
        for module in (theirs.similarity, theirs.tensor, theirs.retrieval, theirs.quantization):
            for name, function in inspect.getmembers(module, inspect.isfunction):
                if name.startswith("_") or function.__module__ != module.__name__:
                    continue
                if not hasattr(ours.util, name):
                    absent.add(name)
                elif expected := list(arguments(function)):  # the older name information_retrieval has only *args
                    self.assertEqual(list(arguments(getattr(ours.util, name))), expected, name)
        self.assertEqual(absent, absent_functions())

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


if __name__ == "__main__":
    unittest.main()
