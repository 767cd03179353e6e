"""Runs the Python of docs/PYTHON.md as it stands. tests/frameworks runs the parts that need Spark or Ray."""

import contextlib
import io
import os
import re
import tempfile
import unittest
from pathlib import Path

import bert_infer
import numpy as np

REPOSITORY = Path(__file__).resolve().parents[3]
MINILM = Path(os.environ.get("BERT_TEST_MINILM", REPOSITORY / "build" / "test-data" / "all-MiniLM-L6-v2"))
NAME_ON_THE_HUB = "sentence-transformers/all-MiniLM-L6-v2"


def blocks() -> list[str]:
    found = re.findall(r"^```python\n(.*?)^```$", (REPOSITORY / "docs" / "PYTHON.md").read_text(), re.M | re.S)
    return [block for block in found if not re.search(r"bert_infer\.(spark|ray)", block)]


class Documentation(unittest.TestCase):
    def test_its_python_can_be_pasted(self) -> None:
        self.assertGreaterEqual(len(blocks()), 2)
        draw = np.random.default_rng(1)
        texts = [f"The {animal} saw a {thing}." for animal in ("dog", "cat") for thing in ("fox", "tree", "house")]
        place = os.getcwd()
        for block in blocks():
            if NAME_ON_THE_HUB in block and not MINILM.is_dir():
                self.skipTest("SKIPPED, no all-MiniLM-L6-v2 (set BERT_TEST_MINILM, or run tools/test.sh)")
            names = {"bert_infer": bert_infer, "model": bert_infer.Model(), "documents": texts, "many_texts": texts}
            for name, rows in (("vectors", 20), ("more_vectors", 5), ("queries", 3)):
                names[name] = draw.standard_normal((rows, 8)).astype(np.float32)
            shown = contextlib.redirect_stdout(io.StringIO())
            with self.subTest(block=block.splitlines()[0]), tempfile.TemporaryDirectory() as folder, shown:
                os.chdir(folder)
                try:
                    exec(block.replace(NAME_ON_THE_HUB, str(MINILM)), names)
                finally:
                    os.chdir(place)


if __name__ == "__main__":
    unittest.main()
