#!/usr/bin/env python3
"""Measures the quality of small vectors by retrieval on STS-B's test set.

For developers. Needs numpy.

    python3 tests/reference/retrieval_quality.py stsbenchmark-sts-test.csv --program build/bert-infer --model DIR

The queries are the first sentences of pairs with a score of 4 or more. The corpus consists of all distinct second
sentences. Prints the mean reciprocal rank of the partner among the first ten (MRR@10). Equal scores are ranked in the
corpus's order. int8 and binary have the bytes of sentence-transformers' quantize_embeddings, with ranges of the corpus.
"again" scores the best 40 again by the query's floats and the corpus's int8 or signs, as semantic_search_usearch does;
"floats again" scores them by the floats of both.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

TOP, CANDIDATES = 10, 40


def read_pairs(file: Path) -> list[tuple[str, str, float]]:
    with open(file, encoding="utf-8") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row[5].strip(), row[6].strip(), float(row[4])) for row in rows]


def embed(program: Path, model: list[str], texts: list[str], more: list[str]) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        names = Path(folder) / "texts.txt", Path(folder) / "vectors.npy"
        names[0].write_text("\n".join(texts) + "\n", encoding="utf-8")
        subprocess.run([program, "embed", *model, *more, "--normalize", "--input", names[0], "--output", names[1]],
                       check=True, capture_output=True)
        return np.load(names[1])


def mrr(scores: np.ndarray, partners: list[int]) -> float:
    order = np.argsort(-scores, axis=1, kind="stable")[:, :TOP]
    total = 0.0
    for row, partner in zip(order, partners):
        found = np.flatnonzero(row == partner)
        total += 1 / (found[0] + 1) if len(found) else 0
    return 100 * total / len(partners)


def again(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Returns scores in which the best by `first` have their second scores, and the others come below them."""
    kept = np.argsort(-first, axis=1, kind="stable")[:, :CANDIDATES]
    scores = np.full(first.shape, -np.inf)
    np.put_along_axis(scores, kept, np.take_along_axis(second, kept, axis=1), axis=1)
    return scores


def quantize(vectors: np.ndarray, ranges: np.ndarray) -> np.ndarray:
    least, steps = ranges[0], (ranges[1] - ranges[0]) / 255
    return np.clip(np.floor((vectors - least) / steps), 0, 255) - 128


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="stsbenchmark's sts-test.csv")
    parser.add_argument("--program", type=Path, default=Path("build/bert-infer"))
    parser.add_argument("--model", help="default: the built-in one")
    options = parser.parse_args()
    model = ["--model", options.model] if options.model else []
    pairs = read_pairs(options.file)
    corpus = list(dict.fromkeys(second for _, second, _ in pairs))
    place = {text: i for i, text in enumerate(corpus)}
    good = [(first, place[second]) for first, second, score in pairs if score >= 4]
    partners = [partner for _, partner in good]
    print(f"{len(good)} queries, {len(corpus)} texts")

    q = embed(options.program, model, [first for first, _ in good], [])
    d = embed(options.program, model, corpus, [])
    size = d.shape[1]

    def show(name: str, size_bytes: int, scores: np.ndarray) -> None:
        print(f"| {name} | {size_bytes} | {mrr(scores, partners):.2f} |")

    floats = q @ d.T
    show("float32", 4 * size, floats)
    for cut in (size * 2 // 3, size // 2, size // 3, size // 6):
        a, b = (embed(options.program, model, texts, ["--dimensions", str(cut)])
                for texts in ([first for first, _ in good], corpus))
        show(f"float32, the first {cut}", 4 * cut, a @ b.T)
    ranges = np.stack((d.min(axis=0), d.max(axis=0)))
    int8 = quantize(d, ranges)
    small = quantize(q, ranges) @ int8.T
    show("int8", size, small)
    show("int8, floats again", 5 * size, again(small, floats))
    signs = np.where(d > 0, 1, -1)
    binary = np.where(q > 0, 1, -1) @ signs.T
    show("binary", size // 8, binary)
    show("binary, the query's floats again", size // 8, again(binary, q @ signs.T))
    show("binary, int8 again", size // 8 + size, again(binary, q @ int8.T))
    show("binary, floats again", size // 8 + 4 * size, again(binary, floats))
    return 0


if __name__ == "__main__":
    sys.exit(main())
