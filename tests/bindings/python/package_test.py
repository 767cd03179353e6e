"""Tests the package as a whole: which modules an import loads, its version and docstrings, and the examples in
docstrings and in the README."""

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
import unittest
from pathlib import Path

import bert_infer
import bert_infer.fastembed
import bert_infer.sentence_transformers

# These modules need a framework. tests/frameworks tests them.
NEED_MORE = {"_engine", "__main__", "bertopic", "chroma", "haystack", "keybert", "langchain", "llama_index", "parquet"}
NEED_MORE |= {"sklearn", "spacy", "spark", "tables"}
REPOSITORY = Path(__file__).resolve().parents[3]


class Package(unittest.TestCase):
    def test_imports_numpy_on_first_use(self) -> None:
        code = (
            "import sys, bert_infer; model = bert_infer.Model(); before = 'numpy' in sys.modules; "
            "model.encode('a'); print(before, 'numpy' in sys.modules, 'asyncio' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "False True False\n")

    def test_has_the_version_of_the_program(self) -> None:
        text = (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertIn(f"project(bert-infer VERSION {bert_infer.__version__} ", text)
        command = [sys.executable, "-m", "bert_infer", "--version"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, f"bert_infer {bert_infer.__version__}\n")

    def test_what_is_public_has_a_docstring(self) -> None:
        classes: list[type] = []
        for module in (bert_infer, bert_infer.sentence_transformers, bert_infer.fastembed):
            classes += [one for name in module.__all__ if inspect.isclass(one := getattr(module, name))]
        count = 0
        for one in classes:
            for name, member in inspect.getmembers(one):
                if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                    self.assertTrue(inspect.getdoc(member), f"{one.__name__}.{name}")
                    count += 1
        self.assertGreater(count, 200)

    def test_a_failed_build_names_what_the_documentation_says_that_it_needs(self) -> None:
        settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
        message = settings["tool"]["scikit-build"]["messages"]["after-failure"]
        text = (REPOSITORY / "docs" / "PYTHON.md").read_text(encoding="utf-8")
        (packages,) = re.findall(r"\(Debian: ([^)]*)\)", text)
        needed = re.findall("`(.*?)`", packages)
        self.assertGreaterEqual(len(needed), 3)
        self.assertEqual(message.split("apt install ")[1].split(". ")[0].split(), needed)

    def test_the_wheels_of_a_release_declare_the_same_entry_points(self) -> None:
        project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        script = (REPOSITORY / "packaging" / "release" / "wheels.sh").read_text(encoding="utf-8")
        self.assertEqual(list(project["entry-points"]), ["spacy_factories"])
        for group, entries in project["entry-points"].items():
            for name, target in entries.items():
                self.assertIn(f"'[{group}]' '{name} = {target}'", script)

    def test_examples_of_docstrings_and_of_the_readme_are_true(self) -> None:
        names = [module.name for module in pkgutil.iter_modules(bert_infer.__path__)]
        modules = [importlib.import_module(f"bert_infer.{name}") for name in names if name not in NEED_MORE]
        modules.append(bert_infer)
        results = [doctest.testmod(module) for module in modules]
        results.append(doctest.testfile(str(REPOSITORY / "bindings" / "python" / "README.md"), module_relative=False))
        self.assertEqual(sum(result.failed for result in results), 0)
        self.assertGreater(sum(result.attempted for result in results), 10)


if __name__ == "__main__":
    unittest.main()
