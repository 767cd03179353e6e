#!/usr/bin/env python3
"""Compares `bert-infer tokenize` with transformers' AutoTokenizer on random tokenizers.

For developers. Needs transformers, sentencepiece and protobuf, which the tests do not need.

    python3 tests/reference/compare_tokenizers.py --cases random --count 6000 --seed 1 --program build/bert-infer
    python3 tests/reference/compare_tokenizers.py --cases changed --count 2000
    python3 tests/reference/compare_tokenizers.py --cases vocabularies --count 1000

Each case has 14 texts, of which 4 are pairs, and a directory: a random tokenizer.json that PreTrainedTokenizerFast
reads unchanged; a tokenizer.json of a class's kind with changed configurations beside it; or a class's own files
without tokenizer.json. A case passes if the ids, type ids and offsets of all texts are equal, or if the tokenizer is
refused by name. The reasons of refusals are counted.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import transformers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from reference import random_directories, random_tokenizers

TEXTS, PAIRS = 14, 4


def reference_of(directory: str, texts: list[tuple]) -> list | str:
    """Returns the ids, type ids and offsets of each text or pair, or a line with the reference's error."""
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
        encoded = [tokenizer(*text, return_offsets_mapping=True, return_token_type_ids=True) for text in texts]
    except BaseException as error:  # noqa: BLE001 - a panic of the reference's Rust library is no Exception
        return f"{type(error).__name__}: {str(error)[:100]}"
    # The model gets segments only if the tokenizer names them. If no file names a class or a model, the program shows
    # the segments of the template.
    names = pathlib.Path(directory) / "tokenizer_config.json"
    has_class = names.exists() and "tokenizer_class" in json.loads(names.read_text(encoding="utf-8"))
    is_plain = not has_class and not (pathlib.Path(directory) / "config.json").exists()
    named = "token_type_ids" in tokenizer.model_input_names or is_plain
    return [(one["input_ids"], [named * kind for kind in one["token_type_ids"]],
             [tuple(offset) for offset in one["offset_mapping"]]) for one in encoded]


def ours_of(program: str, directory: str, texts: list[tuple]) -> list | str:
    """Returns the ids, type ids and offsets by the program, or a line with its error."""
    lines = "".join(json.dumps(dict(zip(("text", "pair"), text))) + "\n" for text in texts)
    run = subprocess.run([program, "tokenize", "--model", directory, "--format", "jsonl", "--jsonl", "--input", "-"],
                         input=lines, capture_output=True, text=True, check=False)
    if run.returncode:
        return run.stderr.strip().splitlines()[-1].removeprefix("bert-infer: error: ")
    results = [json.loads(line) for line in run.stdout.splitlines()]
    return [(one["ids"], one["type_ids"], [tuple(offset) for offset in one["code_point_offsets"]]) for one in results]


def outcome(expected: list | str, found: list | str) -> str:
    """Returns words that say which side refuses, or whether both results are equal."""
    if isinstance(found, str):
        return "refused by both" if isinstance(expected, str) else "refused"
    return "the reference fails" if isinstance(expected, str) else "equal" if expected == found else "DIFFERENT"


def write_case(directory: pathlib.Path, cases: str, draw: random.Random) -> list[tuple]:
    """Writes the directory of a case and returns its texts."""
    if cases == "random":
        random_tokenizers.write_tokenizer(directory, draw)
        texts = [random_tokenizers.text(draw) for _ in range(TEXTS + PAIRS)]
    else:
        kind = random_directories.write_directory(directory, draw, with_tokenizer_json=cases == "changed")
        texts = [random_directories.text(draw, kind) for _ in range(TEXTS + PAIRS)]
    return [*zip(texts[PAIRS:TEXTS]), *zip(texts[:PAIRS], texts[TEXTS:])]


def show(directory: str, texts: list[tuple], expected: list | str, found: list) -> None:
    """Prints the files of a case without the vocabulary, and the first text that differs."""
    for path in sorted(pathlib.Path(directory).iterdir()):
        if path.suffix == ".json":
            content = json.loads(path.read_text(encoding="utf-8"))
            if "model" in content:
                content["model"] |= {"vocab": "...", "merges": "..."}
            print(f"  {path.name}: {json.dumps(content, ensure_ascii=False)[:3000]}")
        else:
            print(f"  {path.name}")
    if isinstance(expected, str):
        return print("  " + expected)
    text, wanted, got = next(three for three in zip(texts, expected, found) if three[1] != three[2])
    print(f"  {text!r}\n    expected {wanted}\n    found    {got}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", choices=["random", "changed", "vocabularies"], default="random")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="how many differences to print in full")
    parser.add_argument("--program", default="build/bert-infer")
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    counts, reasons = collections.Counter(), collections.Counter()
    for number in range(options.seed * 1000000, options.seed * 1000000 + options.count):
        draw = random.Random(number)
        with tempfile.TemporaryDirectory() as directory:
            texts = write_case(pathlib.Path(directory), options.cases, draw)
            expected, found = reference_of(directory, texts), ours_of(options.program, directory, texts)
            result = outcome(expected, found)
            counts[result] += 1
            if isinstance(found, str):
                reasons[re.sub(r"'[^']*'|\d+", "…", found)] += 1
            if result in ("DIFFERENT", "the reference fails") and counts[result] <= options.show:
                print(f"{result}: case {number}")
                show(directory, texts, expected, found)
    print(dict(counts))
    for reason, count in reasons.most_common():
        print(f"  refused {count}: {reason}")
    return 1 if counts["DIFFERENT"] else 0


if __name__ == "__main__":
    sys.exit(main())
