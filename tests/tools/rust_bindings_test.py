"""Checks that Rust's bindings, made by bindgen, have the functions and structures of the present C headers."""

import re
import unittest
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
BINDINGS = (SOURCES / "bindings/rust/bert-infer-sys/src/bindings.rs").read_text(encoding="utf-8")
HEADERS = [(SOURCES / f"include/bert/bert{name}.h").read_text(encoding="utf-8")
           for name in ("", "_tasks", "_vectors", "_explain", "_files")]
STALE = "stale: run bindings/rust/generate.sh"


def without_comments(text):
    return re.sub(r"//.*", "", text)


def arguments(text):
    """Returns the number of arguments. Arguments of a callback are counted too, on both sides."""
    return 0 if text.strip() in ("", "void") else text.strip().strip(",").count(",") + 1


class Bindings(unittest.TestCase):
    def test_functions(self):
        expected = {}
        for header in HEADERS:
            for name, given in re.findall(r"BERT_API [^;(]*?(bert_\w+)\(([^;]*)\);", without_comments(header)):
                expected[name] = arguments(given)
        found = {name: arguments(given) for name, given in re.findall(r"pub fn (bert_\w+)\(([^)]*)\)", BINDINGS)}
        self.assertGreater(len(expected), 90)
        self.assertEqual(found, expected, STALE)

    def test_structures(self):
        expected = {}
        for header in HEADERS:
            text = without_comments(header)
            for name, body in re.findall(r"typedef struct (bert_\w+) \{(.*?)\n\} ", text, re.DOTALL):
                members = [part.split(",") for part in body.split(";") if part.strip()]
                expected[name] = [re.search(r"(\w+)\s*$", one).group(1) for part in members for one in part]
        found = {name: re.findall(r"pub (\w+):", body)
                 for name, body in re.findall(r"pub struct (bert_\w+) \{(.*?)\n\}", BINDINGS, re.DOTALL)}
        self.assertGreater(len(expected), 15)
        self.assertEqual({name: fields for name, fields in found.items() if fields}, expected, STALE)


if __name__ == "__main__":
    unittest.main()
