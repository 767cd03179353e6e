"""Runs examples/first_hour.ipynb, and compares the outputs with those in the file."""

import json
import sys
import unittest
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import notebook  # noqa: E402


class Notebook(unittest.TestCase):
    def test_runs_from_top_to_bottom(self) -> None:
        cells = notebook.code_cells(json.loads(notebook.NOTEBOOK.read_text(encoding="utf-8")))
        names: dict[str, Any] = {}
        for count, cell in enumerate(cells, 1):
            with self.subTest(cell=cell["id"]):
                self.assertEqual(notebook.run(cell, names, count), cell["outputs"], "run tests/support/notebook.py")
        similarities = names["similarities"]
        self.assertGreater(similarities[0, 1], similarities[0, 2])
        self.assertEqual(names["found"][0]["text"], "A man plays the guitar.")
        self.assertEqual(sorted(names["places"].tolist()), [2, 3])
        self.assertEqual(names["tokens"], ["[CLS]", "the", "fox", "[SEP]"])
        self.assertEqual(names["masks"][0][0]["token"], "tea")
        self.assertEqual(np.shape(names["vectors"]), (3, 160))
        self.assertEqual(names["explained"]["tokens"][2], "dog")
        self.assertEqual(names["heads"]["rows"].tolist(), list(range(60, 75)))
        self.assertGreater(len(names["heads"]["tokens"]), 64)
        self.assertIn("position and word are confounded", names["confounded"].answer)
        self.assertIsNotNone(names["confounded"]["confounded_layer"])
        self.assertIsNone(names["shares"]["confounded_layer"])
        for shown in ("explained", "heads", "orders", "positions", "shares", "report"):
            self.assertTrue(names[shown]._repr_html_().startswith("<iframe"), shown)
        self.assertEqual(len(names["report"]["questions"]), 6)


if __name__ == "__main__":
    unittest.main()
