"""Copies a folder of sentence-transformers' tests with the import swapped: the copy imports the classes and functions
that the drop-in has from bert_infer.sentence_transformers."""

import ast
import os
import sys
from pathlib import Path
from unittest import TestCase

import bert_infer.sentence_transformers as drop_in
from bert_infer.sentence_transformers import util

PACKAGE = "sentence_transformers"
DROP_IN = "bert_infer.sentence_transformers"


NEEDED = {
    "BERT_TEST_SENTENCE_TRANSFORMERS": "checkout of sentence-transformers: its tests and pages are in no package",
    "BERT_TEST_MINILM": "directory of all-MiniLM-L6-v2",
}


def needed_directories(test: TestCase) -> tuple[Path, str]:
    """Returns the checkout and the model. Skips the test with a message if one is missing."""
    for variable, what in NEEDED.items():
        if not os.environ.get(variable):
            print(f"SKIPPED: {variable} names no {what}", file=sys.stderr)
            test.skipTest(f"{variable} names no {what}")
    checkout, model = (os.environ[variable] for variable in NEEDED)
    return Path(checkout).resolve(), model


def home_of(module: str, name: str) -> str | None:
    """Returns the drop-in's module that has this name of the package, or None."""
    parts = module.split(".")
    if parts[0] != PACKAGE:
        return None
    if parts[1:2] == ["util"]:
        return f"{DROP_IN}.util" if not name.startswith("_") and hasattr(util, name) else None
    return DROP_IN if name in drop_in.__all__ else None


class Swap(ast.NodeTransformer):
    """Divides `from sentence_transformers… import …` into an import from the drop-in and one of the rest."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        swapped: dict[str, list[ast.alias]] = {}
        for alias in node.names:
            home = home_of(node.module or "", alias.name) if node.level == 0 else None
            swapped.setdefault(home or node.module or "", []).append(alias)
        return [ast.ImportFrom(module or None, names, node.level) for module, names in swapped.items()]


def copy_swapped(source: Path, target: Path) -> list[Path]:
    """Copies the tests. Returns the files whose imports changed, relative to the folder."""
    changed: list[Path] = []
    for file in source.rglob("*"):
        copy = target / file.relative_to(source)
        if file.is_dir():
            copy.mkdir(parents=True, exist_ok=True)
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        content = file.read_bytes()
        if file.suffix == ".py":
            before = ast.parse(content)
            after = ast.unparse(ast.fix_missing_locations(Swap().visit(ast.parse(content))))
            if after != ast.unparse(before):
                changed.append(file.relative_to(source))
                content = after.encode()
        copy.write_bytes(content)
    return changed
