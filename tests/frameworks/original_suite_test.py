"""Runs sentence-transformers' own tests with the import swapped, of all files that import something that the drop-in
has.

BERT_TEST_SENTENCE_TRANSFORMERS names a checkout of its repository, since no package contains its tests; the other
imports are those of the checkout's package. suite_models.py makes random models. docs/results/frameworks.md says which
groups of tests fail, and why.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

from swapped_imports import copy_swapped, needed_directories

HERE = Path(__file__).resolve().parent

LEAST = 1591  # passing tests of 6.1.0.dev0 with torch 2.15.0 and transformers 5.24.0
# These need models of the hub that suite_models.py does not make, or start processes that each load torch.
LEFT_OUT = ("base/modules/transformer/", "test_multi_process.py", "test_pretrained", "test_train_stsb.py")


def outcomes(report: Path) -> Counter[str]:
    """Counts the tests that passed, failed, had an error or were skipped."""
    found: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        found[kinds[0] if kinds else "passed"] += 1
    return found


class OriginalSuite(unittest.TestCase):
    def test_passes_with_the_import_swapped(self) -> None:
        checkout, model = needed_directories(self)
        version = re.search(r'^version = "(.*)"', (checkout / "pyproject.toml").read_text(), re.M)
        self.assertIsNotNone(version, "no version in pyproject.toml")
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            changed = copy_swapped(checkout / "tests", top / "tests")
            (top / "pyproject.toml").write_bytes((checkout / "pyproject.toml").read_bytes())
            files = [f"tests/{file}" for file in changed if file.name.startswith("test_")]
            files = [file for file in files if not any(part in file for part in LEFT_OUT)]
            here = {"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(top / "hub"), "HF_HOME": str(top / "home")}
            here |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "WANDB_MODE": "disabled"}
            before = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
            here["PYTHONPATH"] = os.pathsep.join([str(checkout), *before])
            environment = {**os.environ, **here}
            make = [sys.executable, "-B", str(HERE / "suite_models.py"), str(top / "hub"), model]
            subprocess.run(make, env=environment, check=True, capture_output=True)
            options = ["-q", "-W", "ignore", "--tb=line", "--timeout=120", "-p", "no:cacheprovider"]
            options += ["--continue-on-collection-errors", f"--junitxml={top / 'report.xml'}"]
            command = [sys.executable, "-B", "-m", "pytest", *options, *files]
            done = subprocess.run(command, env=environment, cwd=top, capture_output=True, text=True, check=False)
            self.assertTrue((top / "report.xml").is_file(), done.stdout[-2000:] + done.stderr[-2000:])
            found = outcomes(top / "report.xml")
        print(f"sentence-transformers {version and version[1]}, {len(files)} files: {dict(found)}", file=sys.stderr)
        self.assertGreaterEqual(found["passed"], LEAST, done.stdout[-4000:])


if __name__ == "__main__":
    unittest.main()
