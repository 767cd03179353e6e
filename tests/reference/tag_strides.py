#!/usr/bin/env python3
"""Compares `bert-infer tag --stride` with the reference's pipeline on random texts in several scripts.

For developers. Needs torch and transformers, which the tests do not need.

    python3 tests/reference/tag_strides.py --count 500 --program build/bert-infer

Each case has a text of Chinese, Cyrillic, Latin and mixed words, a tiny random tagger with WordPiece or byte-level BPE,
an aggregation and a stride. It passes if every entity has the reference's label, word and span in code points, its span
in bytes is the same part of the text, and the scores differ by at most 1e-4.
"""

import argparse
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import tokenizers
import torch
import transformers

TEXTS_OF_A_MODEL = 10
ALPHABETS = ["一丁七万丈三上下不与丐丑专且世", "абвгдеёжзийклмн", "abcdefghijklmn", "éèüñ", "😀🎉", "ا ب ت"]
MARKS = [" ", " ", " ", "  ", "", "-", ", ", ". ", "\u3000", "\n", "'", "。"]


def random_text(draw: random.Random) -> str:
    """Returns words of one alphabet each, or of one alphabet for the whole text."""
    only = draw.choice(ALPHABETS) if draw.random() < 0.4 else None
    text = ""
    for _ in range(draw.randrange(5, 50)):
        alphabet = only or draw.choice(ALPHABETS)
        text += "".join(draw.choice(alphabet) for _ in range(draw.randrange(1, 7))) + draw.choice(MARKS)
    return text


def wordpiece_model(directory: Path, draw: random.Random) -> transformers.PretrainedConfig:
    """Writes a WordPiece model whose vocabulary lacks some characters, and sometimes "##s"."""
    pieces = [character for alphabet in ALPHABETS for character in alphabet if character != " "]
    pieces = [piece for piece in pieces if draw.random() < 0.9]
    longer = {"".join(draw.choices(draw.choice(ALPHABETS[:3]), k=draw.randrange(2, 4))) for _ in range(40)}
    pieces += sorted(longer) + list("-,.'。")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces, *["##" + piece for piece in pieces]]
    if draw.random() < 0.5:
        vocabulary.append("##s")
    (directory / "vocab.txt").write_text("\n".join(dict.fromkeys(vocabulary)) + "\n", encoding="utf-8")
    lower = draw.random() < 0.5
    (directory / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "BertTokenizer", "do_lower_case": lower, "model_max_length": 24}))
    return transformers.BertConfig(vocab_size=len(vocabulary) + 1, hidden_size=12, num_hidden_layers=1,
                                   num_attention_heads=2, intermediate_size=16, max_position_embeddings=32)


def bpe_model(directory: Path, draw: random.Random) -> transformers.PretrainedConfig:
    """Writes a byte-level BPE model with merges learned from random texts."""
    learned = tokenizers.ByteLevelBPETokenizer()
    learned.train_from_iterator([random_text(draw) for _ in range(40)], vocab_size=400, show_progress=False,
                                special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    learned.save_model(str(directory))
    (directory / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "RobertaTokenizer", "model_max_length": 24}))
    return transformers.RobertaConfig(vocab_size=400, hidden_size=12, num_hidden_layers=1, num_attention_heads=2,
                                      intermediate_size=16, max_position_embeddings=32, pad_token_id=1)


def write_model(directory: Path, draw: random.Random) -> None:
    """Writes a tagger whose labels depend strongly on the token."""
    config = (wordpiece_model if draw.random() < 0.7 else bpe_model)(directory, draw)
    labels = draw.choice([["O", "B-A", "I-A", "B-B", "I-B"], ["O", "A", "B"], ["O", "I-A", "I-B", "I-A-B"]])
    config.id2label = dict(enumerate(labels))
    config.initializer_range = 0.5
    model = transformers.AutoModelForTokenClassification.from_config(config)
    torch.nn.init.normal_(model.classifier.weight, std=2)
    model.save_pretrained(directory)


def same(ours: dict, expected: dict, text: str) -> bool:
    """Returns whether an entity agrees with the reference's."""
    span = text[ours["code_point_start"]: ours["code_point_end"]]
    in_bytes = text.encode()[ours["start"]: ours["end"]].decode()
    return (ours["entity"] == expected["entity_group"] and ours["word"] == expected["word"] and span == in_bytes
            and (ours["code_point_start"], ours["code_point_end"]) == (expected["start"], expected["end"])
            and abs(ours["score"] - float(expected["score"])) < 1e-4)


def check(number: int, program: str, directory: Path, wanted: int) -> list[str]:
    """Compares texts of one model, and returns a line for each text that differs."""
    draw = random.Random(number)
    torch.manual_seed(number)
    write_model(directory, draw)
    aggregation = draw.choice(["simple", "first", "average", "max"])
    stride = draw.choice([1, 3, 8, 15])
    texts = [random_text(draw) for _ in range(wanted)]
    tagger = transformers.pipeline("token-classification", model=str(directory), stride=stride,
                                   aggregation_strategy=aggregation)
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    run = subprocess.run([program, "tag", "--model", str(directory), "--stride", str(stride), "--aggregation",
                          aggregation, "--input", "-", "--jsonl", "--format", "jsonl"],
                         input=lines.encode(), capture_output=True, check=False)
    results = [json.loads(line) for line in run.stdout.splitlines()]
    if run.returncode != 0 or len(results) != wanted:
        return [f"model {number}: {run.stderr.decode().strip().splitlines()[-1]}"] * wanted
    different = []
    for text, result in zip(texts, results):
        expected = tagger(text)
        if len(expected) == len(result["entities"]) and all(
                same(one, other, text) for one, other in zip(result["entities"], expected)):
            continue
        different.append(f"model {number}, {aggregation}, stride {stride}, {text!r}:\n  {result['entities']}\n"
                         f"  expected {expected}")
    return different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the first model's number, which is its seed")
    parser.add_argument("--program", default="build/bert-infer")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    transformers.utils.logging.disable_progress_bar()
    failed = 0
    for begin in range(0, options.count, TEXTS_OF_A_MODEL):
        with tempfile.TemporaryDirectory() as folder:
            different = check(options.first + begin // TEXTS_OF_A_MODEL, options.program, Path(folder),
                              min(TEXTS_OF_A_MODEL, options.count - begin))
        failed += len(different)
        for line in different:
            print(line, flush=True)
    print(f"{options.count} cases: {options.count - failed} agree, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
