#!/usr/bin/env python3
"""Compares `embed --output-type` with sentence-transformers' quantize_embeddings, byte for byte, on random texts.

For developers. Needs sentence-transformers, which the tests do not need.

    python3 tests/reference/compare_small_vectors.py --count 100 --program build/bert-infer

A case has random texts. --save-ranges finds the ranges of all texts, or only of some, so that numbers of the others are
outside. The program writes the built-in model's vectors, whole or cut, in a random type as npy or safetensors. The
reference gets the program's float32 vectors. Prints the differences.
"""

import json
import pathlib
import random
import subprocess
import sys

import numpy as np
import safetensors.numpy
from sentence_transformers.util import quantize_embeddings

from random_cases import run_cases

WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "and", "Zürich", "42", "?", "日本"]


def run(program: str, *words: object) -> None:
    done = subprocess.run([program, "embed", *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])


def write_texts(file: pathlib.Path, texts: list[str]) -> pathlib.Path:
    file.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return file


def check(number: int, program: str, root: pathlib.Path) -> str:
    """Returns "" if the bytes are equal, else a message that says what differs."""
    draw = random.Random(number)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 20))) for _ in range(draw.randint(1, 40))]
    calibration = texts if draw.random() < 0.3 else texts[: draw.randint(1, len(texts))]
    cut = draw.choice([[], ["--dimensions", draw.randint(1, 160)]])
    kind = draw.choice(["int8", "uint8", "binary", "ubinary"])
    ranges, floats = root / "ranges.json", root / "floats.npy"
    output = root / f"small.{draw.choice(['npy', 'safetensors'])}"
    what = f"{kind}, {len(texts)} texts, ranges of {len(calibration)}, {output.suffix[1:]}"
    given = ["--ranges", ranges] if kind in ("int8", "uint8") else []
    try:
        run(program, "--input", write_texts(root / "some.txt", calibration), "--save-ranges", ranges, *cut,
            "--output", root / "some.npy")
        everything = write_texts(root / "all.txt", texts)
        run(program, "--input", everything, *cut, "--output", floats)
        run(program, "--input", everything, *cut, "--output-type", kind, *given, "--output", output)
    except RuntimeError as error:
        return f"{what}: {error}"

    some, found = np.load(root / "some.npy"), json.loads(ranges.read_text(encoding="utf-8"))
    both = np.float32([found["least"], found["greatest"]])
    if not np.array_equal(both, np.stack((some.min(axis=0), some.max(axis=0)))):
        return f"{what}: the ranges are not the least and greatest numbers"
    expected = quantize_embeddings(np.load(floats), precision=kind, ranges=both)
    ours = np.load(output) if output.suffix == ".npy" else safetensors.numpy.load_file(output)["embeddings"]
    if (ours.shape, ours.dtype) != (expected.shape, expected.dtype):
        return f"{what}: {ours.shape} of {ours.dtype}, expected {expected.shape} of {expected.dtype}"
    different = np.argwhere(ours != expected)
    if not len(different):
        return ""
    worst = tuple(different[0])
    return f"{what}: {len(different)} bytes differ, the first at {worst}: {ours[worst]}, expected {expected[worst]}"


def main() -> int:
    return run_cases(__doc__, check, 100)


if __name__ == "__main__":
    sys.exit(main())
