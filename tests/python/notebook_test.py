"""examples/first_hour.ipynb runs from top to bottom."""

import json
import unittest
from pathlib import Path
from typing import Any

import numpy as np

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "first_hour.ipynb"


class Notebook(unittest.TestCase):
    def test_runs_from_top_to_bottom(self) -> None:
        cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        names: dict[str, Any] = {}
        for cell in cells:
            if cell["cell_type"] == "code":
                self.assertEqual(cell["outputs"], [])
                exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
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
        for shown in ("explained", "heads", "orders", "positions", "shares", "report"):
            self.assertTrue(names[shown]._repr_html_().startswith("<iframe"), shown)
        self.assertEqual(len(names["report"]["questions"]), 6)


if __name__ == "__main__":
    unittest.main()
