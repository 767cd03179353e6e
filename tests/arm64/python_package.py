"""Checks that the Python package for arm64, run by ARM's Python, returns the vectors of its program, bit for bit."""

import io
import os
import platform
import subprocess
import sys

import bert_infer
import numpy as np

TEXTS = ["The quick brown fox jumps over the lazy dog", "naïve café 東京", ""]

if platform.machine() != "aarch64":
    sys.exit(f"run by the Python of {platform.machine()}, expected aarch64")
program = subprocess.run(
    [os.environ["BERT_INFER_PROGRAM"], "embed", "--format", "npy", "--input", "-"],
    input="".join(text + "\n" for text in TEXTS).encode(),
    stdout=subprocess.PIPE,
    check=True,
)
expected = np.load(io.BytesIO(program.stdout))
got = bert_infer.Model().encode(TEXTS)
if not np.array_equal(got, expected):
    sys.exit(f"other vectors than the program's: they differ by {np.abs(got - expected).max()}")
