#!/usr/bin/env python3
"""Compares `bert-infer embed` with sentence-transformers on the look-alikes of published models.

For developers. Needs torch, transformers and sentence-transformers, which the tests do not need.

    python3 tests/reference/compare_look_alikes.py ../shared/data/hub_configs --program build/bert-infer

A vector passes if its difference from the reference's in float64 is at most 1e-6 of its norm, or at most twice the
reference's largest error in float32.
"""

import argparse
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import transformers
from sentence_transformers import SentenceTransformer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import look_alikes

TEXTS = ["the quick brown fox", "Fox, jumps over 7 dogs.", "a"]


def compare(program: str, directory: Path) -> str:
    """Returns one line that says whether the vectors agree or differ, or which side refuses the model."""
    output = directory / "out.npy"
    run = subprocess.run([program, "embed", "--model", directory, "--format", "npy", "--output", output, *TEXTS],
                         capture_output=True, text=True, check=False)
    refusal = run.stderr.strip().splitlines()[-1].removeprefix("bert-infer: error: ") if run.returncode else ""
    try:
        model = SentenceTransformer(str(directory), device="cpu", model_kwargs={"dtype": "float32"})
        single = model.encode(TEXTS).astype(np.float64)
        double = model.double().encode(TEXTS)
    except Exception as error:  # noqa: BLE001 - any failure of the reference is a result
        return f"the reference fails ({type(error).__name__}: {str(error)[:120]!r}); here: {refusal or 'loads'}"
    if refusal:
        return f"refused: {refusal}"
    ours = np.load(output).astype(np.float64)
    if ours.shape != double.shape:
        return f"DIFFERS: shape {ours.shape}, expected {double.shape}"
    error = np.linalg.norm(ours - double, axis=1)
    allowed = np.maximum(1e-6 * np.linalg.norm(double, axis=1), 2 * np.linalg.norm(single - double, axis=1).max())
    if (error <= allowed).all():
        return f"agrees: error {error.max():.2g}, allowed {allowed.min():.2g}"
    return f"DIFFERS: error {error.max():.3g}, allowed {allowed.min():.3g}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("published", type=Path, help="a folder with the files of one model in each of its folders")
    parser.add_argument("--program", default="build/bert-infer")
    parser.add_argument("--only", help="a part of the names")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    transformers.utils.logging.disable_progress_bar()
    failed = 0
    for published in sorted(path for path in options.published.iterdir() if path.is_dir()):
        if options.only and options.only not in published.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder) / "model"
            if not look_alikes.make_look_alike(published, directory):
                print(f"{published.name}: no config.json of an encoder", flush=True)
                continue
            result = compare(options.program, directory)
        failed += result.startswith("DIFFERS")
        print(f"{published.name}: {result}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
