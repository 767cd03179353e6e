#!/usr/bin/env python3
"""Compares random models of the newer families with the reference, by the tests of a family.

For developers. Needs torch and transformers, which the tests do not need.

    python3 tests/reference/compare_random_models.py modernbert --count 10 --seed 0 --tests build/tests/models_test

Each seed makes three models of a family with random sizes, settings, heads and element types, in the form of the shared
data, with float64 outputs. The tests of a family then check that the error of each output is at most twice the
reference's in float32, and that the bits are equal in any batch and on every instruction set.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import transformers

from random_models import FAMILIES, write_model

# A test suite and its folders. The suite accepts a model of any family in its folders.
SUITE, FOLDERS = "DebertaV2Family", ("deberta-v2", "deberta-v2-own-keys", "deberta-v2-sequence")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", help="of " + ", ".join(FAMILIES) + "; default: all")
    parser.add_argument("--count", type=int, default=6, help="seeds, of three models each")
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--tests", type=Path, default=Path("build/tests/models_test"))
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    failed = 0
    for name in options.families or FAMILIES:
        for seed in range(options.seed, options.seed + options.count):
            draw = random.Random(seed)
            with tempfile.TemporaryDirectory() as root:
                made = [write_model(Path(root) / "family_modern" / folder, name, draw, seed) for folder in FOLDERS]
                tests = [options.tests, f"--gtest_filter={SUITE}.IsWithin*:{SUITE}.HasTheSame*"]
                run = subprocess.run(tests, env={**os.environ, "BERT_TEST_DATA": root}, capture_output=True, text=True,
                                     check=False)
            ratios = [line for line in run.stdout.splitlines() if line.endswith("of the limit")]
            ratios += [one.rpartition(", ")[2] for one in made if one.endswith("close choice of experts")]
            print(f"{name}, seed {seed}:", "; ".join(ratios) if run.returncode == 0 else "FAILED", flush=True)
            if run.returncode != 0:
                failed += 1
                print("\n".join(made), run.stdout, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
