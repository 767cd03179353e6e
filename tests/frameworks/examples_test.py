"""Runs the examples in the documentation of sentence-transformers and fastembed with only the import changed.

The examples come from the installed packages: from the README in their metadata, and from their docstrings. An example
runs with the package first. If it succeeds there, offline, it must succeed with the drop-in too, with equal numbers. A
cache in the hub's layout has small models by the names in the examples. Needs sentence-transformers and fastembed, the
built package, and in BERT_TEST_MINILM the directory of all-MiniLM-L6-v2.
"""

import ast
import contextlib
import importlib.metadata
import io
import itertools
import logging
import os
import re
import sys
import tempfile
import textwrap
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = tempfile.TemporaryDirectory()
os.environ |= {"HF_HUB_CACHE": FOLDER.name, "HF_HUB_OFFLINE": "1"}  # huggingface_hub reads them at import

import numpy as np
import sentence_transformers as theirs
import torch
from sentence_transformers_test import MODEL, save_random_model
from transformers import BertForMaskedLM, BertForSequenceClassification

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.arguments_table import absent_members

CLASSES = ("SentenceTransformer", "CrossEncoder", "SparseEncoder", "MultiVectorEncoder")
KINDS = {name: name for name in CLASSES} | {
    "TextEmbedding": "SentenceTransformer",
    "SparseTextEmbedding": "SparseEncoder",
    "LateInteractionTextEmbedding": "MultiVectorEncoder",
    "TextCrossEncoder": "CrossEncoder",
}
# Modules that the drop-in has by the same name. Others, such as evaluators, are the package's.
HAS = r"from sentence_transformers(?=(\.(util|cross_encoder|sparse_encoder|multi_vector_encoder))? import)"
FOR_TRAINING = {"losses", "trainer", "training_args", "sampler"}  # modules
# Examples with these words are skipped: what the drop-in lacks according to PYTHON.md, and functions of torch.
NOT_THERE = rf"[.]({'|'.join(sorted(absent_members() - set(CLASSES)))}|children)\b|fullname|cuda"


def code_of(text: str) -> Iterator[str]:
    """Yields the blocks of code in reStructuredText or Markdown: after "::", in fences, or with prompts."""
    for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield block
    for found in re.finditer(r"^([ ]*)[^\n]*::(?: python)?\n((?:\1[ ]+[^\n]*\n|[ ]*\n)+)", text + "\n", re.MULTILINE):
        yield textwrap.dedent(found[2])
    for block in re.findall(r"(?:^[ ]*(?:>>>|\.\.\.)[^\n]*\n)+", text + "\n", re.MULTILINE):
        yield "\n".join(line.strip()[4:] for line in block.splitlines())


def is_code(block: str) -> bool:
    try:
        return bool(ast.parse(block).body)
    except SyntaxError:
        return False


def of_docstrings(package: Path) -> Iterator[tuple[str, str]]:
    """Yields the source and the code of each example."""
    for path in sorted(package.rglob("*.py")):
        module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        if FOR_TRAINING & set(module.split(".")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                for number, block in enumerate(code_of(ast.get_docstring(node) or "")):
                    yield f"{module}.{node.name} {number}", block


def of_readme(package: str) -> Iterator[tuple[str, str]]:
    """Yields the source and the code of the README's examples. A block without an import continues the one before."""
    parts: list[str] = []
    for block in code_of(importlib.metadata.metadata(package).get_payload()):
        if "import" in block or not parts:
            parts.append(block)
        else:
            parts[-1] += "\n" + block
    for number, block in enumerate(parts):
        yield f"README of {package} {number}", block


def numbers(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the arrays, tensors and numbers among an example's variables, by name."""
    if isinstance(value, (dict, list, tuple)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            if not str(key).startswith("__"):
                yield from numbers(item, f"{name}.{key}")
    elif isinstance(value, torch.Tensor):
        yield name, value.to_dense().detach().numpy()
    elif isinstance(value, (np.ndarray, np.number, float, int)):
        yield name, np.asarray(value)


def run(code: str, package: str) -> dict[str, Any]:
    """Runs an example and returns its variables. Names of classes are defined, for examples without an import."""
    names: dict[str, Any] = {}
    exec(f"from {package} import {', '.join(CLASSES)}, util", names)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(code, "example", "exec"), names)
    return names


def link_models(code: str) -> None:
    """Puts a small model of the right class into the hub's cache for each model that the example names."""
    for kind, name in re.findall(rf"({'|'.join(KINDS)})\((?:model_name=|\s)*[\"']([\w.-]+/[\w.-]+)[\"']", code):
        repository = Path(FOLDER.name) / f"models--{name.replace('/', '--')}"
        if not repository.exists():
            (repository / "refs").mkdir(parents=True)
            (repository / "refs" / "main").write_text("1" * 40)
            (repository / "snapshots").mkdir()
            (repository / "snapshots" / ("1" * 40)).symlink_to(Path(FOLDER.name) / KINDS[kind])


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
class Examples(unittest.TestCase):
    def setUp(self) -> None:
        logging.disable(logging.WARNING)  # hides the warning of the offline mode
        self.addCleanup(logging.disable, logging.NOTSET)
        folder = tempfile.TemporaryDirectory()  # examples write files here
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    @classmethod
    def setUpClass(cls) -> None:
        cls.addClassCleanup(FOLDER.cleanup)
        Path(FOLDER.name, "SentenceTransformer").symlink_to(MODEL)
        save_random_model(BertForSequenceClassification, f"{FOLDER.name}/CrossEncoder", num_labels=1)
        save_random_model(BertForMaskedLM, f"{FOLDER.name}/SparseEncoder")
        theirs.MultiVectorEncoder(MODEL, device="cpu").save(f"{FOLDER.name}/MultiVectorEncoder")

    def test_of_sentence_transformers(self) -> None:
        package = Path(theirs.__file__).parent
        ran = 0
        for source, code in itertools.chain(of_readme("sentence-transformers"), of_docstrings(package)):
            if not is_code(code) or not any(f"{one}(" in code for one in CLASSES) or re.search(NOT_THERE, code):
                continue
            link_models(code)
            try:
                expected = run(code, "sentence_transformers")
            except Exception as error:
                print(f"{source}: does not run here with the package itself, {type(error).__name__}")
                continue
            with self.subTest(source):
                changed = re.sub(HAS, lambda found: found[0].replace("sentence", "bert_infer.sentence"), code)
                found = run(changed, "bert_infer.sentence_transformers")
                values = dict(numbers(found))
                for name, value in numbers(expected):
                    np.testing.assert_allclose(values[name], value, rtol=1e-4, atol=1e-5, err_msg=name)
                ran += 1
                print(f"{source}: runs, {len(values)} equal numbers and arrays")
        print(f"{ran} examples of sentence-transformers {theirs.__version__} ran")
        self.assertGreaterEqual(ran, 12)


    def test_of_fastembed(self) -> None:
        """The drop-in runs alone, as fastembed reads only ONNX exports. A block may use names of the blocks before."""
        link_models('TextEmbedding("BAAI/bge-small-en-v1.5")')  # the default model
        names: dict[str, Any] = {}
        count = 0
        for source, code in of_readme("fastembed"):
            if re.search("Image|Multimodal|CUDA|qdrant_client", code):
                continue
            link_models(code)
            changed = re.sub(r"from fastembed(\.\S+)? import", "from bert_infer.fastembed import", code)
            with self.subTest(source), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(changed, "example", "exec"), names)
                (result,) = re.findall(r"^(\w+) = list\(", code, re.MULTILINE)
                self.assertEqual(len(names[result]), 2)
                count += 1
        print(f"{count} examples of fastembed {importlib.metadata.version('fastembed')} ran")
        self.assertGreaterEqual(count, 7)

if __name__ == "__main__":
    unittest.main()
