#!/usr/bin/env python3
"""Compares `bert-infer distill` with model2vec's distill: the tables, and the cosines of texts.

For developers. Needs model2vec with its extra "distill", which the tests do not need.

    python3 tests/reference/compare_distilled.py MODEL stsbenchmark-sts-test.csv --program build/bert-infer

MODEL is a directory with a tokenizer.json. The sign of a component is arbitrary, so the columns of the tables are
compared up to their signs. Prints the tokens that only one table has, the largest differences of the tables and of the
cosines of the file's pairs, and for each model the Spearman correlation of the cosines with the scores, in percent.
model2vec computes the cosines of both tables, in float32.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from model2vec.distill import distill
from scipy.stats import spearmanr

from retrieval_quality import read_pairs


def rows_by_token(model: StaticModel) -> dict[str, np.ndarray]:
    """Returns the rows that are not zeros, by token."""
    rows = {token: model.embedding[row].astype(np.float64) for token, row in model.tokenizer.get_vocab().items()}
    return {token: row for token, row in rows.items() if row.any()}


def cosines(model: StaticModel, pairs: list[tuple[str, str, float]]) -> np.ndarray:
    model.embedding = model.embedding.astype(np.float32)
    sides = [model.encode([pair[side] for pair in pairs]).astype(np.float64) for side in (0, 1)]
    lengths = [np.maximum(np.linalg.norm(side, axis=1), 1e-32) for side in sides]
    return (sides[0] * sides[1]).sum(axis=1) / (lengths[0] * lengths[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("file", type=Path, help="stsbenchmark's sts-test.csv")
    parser.add_argument("--program", default="build/bert-infer")
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--sif-coefficient", type=float, default=1e-4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        written = f"{folder}/static"
        subprocess.run([options.program, "distill", "--dimensions", str(options.dimensions), "--sif-coefficient",
                        str(options.sif_coefficient), options.model, written], check=True)
        ours = StaticModel.from_pretrained(written)
    theirs = distill(options.model, pca_dims=options.dimensions, sif_coefficient=options.sif_coefficient, device="cpu")

    a, b = rows_by_token(ours), rows_by_token(theirs)
    print(f"tokens: {len(a)} and {len(b)}; in one only: {sorted(a.keys() ^ b.keys())[:10]}")
    tokens = sorted(a.keys() & b.keys())
    x, y = np.stack([a[token] for token in tokens]), np.stack([b[token] for token in tokens])
    x *= np.where((x * y).sum(axis=0) < 0, -1, 1)
    print(f"tables: the largest difference is {np.abs(x - y).max():.3g}, the largest number {np.abs(y).max():.3g}")

    pairs = read_pairs(options.file)
    scores = [score for _, _, score in pairs]
    x, y = cosines(ours, pairs), cosines(theirs, pairs)
    print(f"cosines: the largest difference is {np.abs(x - y).max():.3g}")
    print(f"Spearman: {100 * spearmanr(x, scores)[0]:.2f} and {100 * spearmanr(y, scores)[0]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
