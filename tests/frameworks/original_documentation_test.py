"""Runs the examples of sentence-transformers' documentation with the import swapped: the README, the quickstart, and
the pages of usage and efficiency.

BERT_TEST_SENTENCE_TRANSFORMERS names a checkout of its repository. The models are random ones of the same kind
(suite_models.py), and all-MiniLM-L6-v2.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
import warnings
from pathlib import Path
from unittest import mock

import bert_infer
import bert_infer.sentence_transformers as drop_in
from swapped_imports import needed_directories

HERE = Path(__file__).resolve().parent

KINDS = ("sentence_transformer", "cross_encoder", "sparse_encoder", "multi_vector_encoder")
PAGES = ["README.md", "docs/quickstart.rst"]
PAGES += [f"docs/{kind}/usage/{page}.rst" for page in ("usage", "efficiency") for kind in KINDS]
# Blocks with these words are skipped: models of pictures, uploads to the hub, exports, losses, and a model made of
# modules.
OTHERS = r"Qwen3-VL|colqwen|push_to_hub|path/to/my|export_|losses|answerdotai/ModernBERT-base"


def blocks(page: Path) -> list[str]:
    """Returns the Python blocks of a page in Markdown or reStructuredText."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    found = re.findall(r"^( *)\.\. code-block:: python\n((?:\1 +.*\n|\s*\n)+)", text, re.M)
    return [textwrap.dedent(re.sub(r"^\s*:\w+:.*\n", "", block, flags=re.M)) for _, block in found]


def swapped(block: str) -> str:
    """Returns the block with the import of the drop-in."""

    def line(match: re.Match[str]) -> str:
        names = [name.strip() for name in match[1].split(",")]
        homes = [("bert_infer." if name in drop_in.__all__ else "") + "sentence_transformers" for name in names]
        return "\n".join(f"from {home} import {name}" for home, name in zip(homes, names, strict=True))

    return re.sub(r"^from sentence_transformers import (.*)$", line, block, flags=re.M)


class OriginalDocumentation(unittest.TestCase):
    def test_its_python_runs_with_the_import_swapped(self) -> None:
        checkout, model = needed_directories(self)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        make = [sys.executable, "-B", str(HERE / "suite_models.py"), f"{folder.name}/hub", model]
        subprocess.run(make, env={**os.environ, "HF_HUB_OFFLINE": "1"}, check=True, capture_output=True)
        place = os.getcwd()
        self.addCleanup(os.chdir, place)
        os.chdir(folder.name)
        warnings.simplefilter("ignore", bert_infer.Notice)
        run = 0
        with mock.patch.dict(os.environ, {"HF_HUB_CACHE": f"{folder.name}/hub", "HF_HUB_OFFLINE": "1"}):
            for page in PAGES:
                names: dict[str, object] = {}  # the next block of the page uses them
                for block in blocks(checkout / page):
                    if re.search(OTHERS, block):
                        continue
                    with self.subTest(page=page, block=block[:60]), contextlib.redirect_stdout(io.StringIO()):
                        exec(swapped(block), names)
                        run += 1
        print(f"{run} blocks of {len(PAGES)} pages ran", file=sys.stderr)
        self.assertGreaterEqual(run, 40)


if __name__ == "__main__":
    unittest.main()
