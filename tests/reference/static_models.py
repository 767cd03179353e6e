#!/usr/bin/env python3
"""Compares `bert-infer embed` with model2vec and sentence-transformers' StaticEmbedding on random directories.

For developers. Needs torch, sentence-transformers and model2vec, which the tests do not need.

    python3 tests/reference/static_models.py --count 100 --program build/bert-infer

Each directory has random rows and a WordPiece, WordLevel, BPE or Unigram tokenizer. Its unknown token has one of
several names, which are tokens too, or there is none. A directory of sentence-transformers has its files at the top or
in a folder, with or without Normalize. One of model2vec has rows in float32, float16, float64 or 8 bits; it may have
weights, a mapping, normalisation, a max_length that cuts texts, a model_type and modules.json, and a
tokenizer_config.json. A directory passes if each number differs from the library's in float64 by at most 1e-6 of the
largest number, or by at most twice the library's largest error in float32.
"""

import json
import logging
import pathlib
import random
import subprocess
import sys

import numpy as np
import tokenizers
import torch
from model2vec import StaticModel
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding
from tokenizers import models, normalizers, pre_tokenizers

from random_cases import run_cases

WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "a", "and", "é", "##s", "##ing", "[", "]"]
NAMES = ["[UNK]", "<unk>", "?"]
TEXTS = ["the ? [UNK] <unk> fox", "the quick brown fox", "foxs jumpsing", "unknown", "", "  ", "the unknown fox",
         "É the FOX", "fox " * 100,
         *(" ".join(random.Random(i).choices(WORDS + ["zebra"], k=1 + i % 40)) for i in range(30))]


def write_tokenizer(draw: random.Random) -> tokenizers.Tokenizer:
    names = draw.sample(NAMES, draw.randint(1, 3))
    words = ["[PAD]", *names, "[CLS]", "[SEP]", *WORDS]
    ids = {word: i for i, word in enumerate(words)}
    kind = draw.choice(["wordpiece", "wordlevel", "bpe", "unigram"])
    lowercase = draw.random() < 0.7
    if kind == "unigram":
        covers = lowercase and draw.random() < 0.5  # if the pieces cover all characters, no unknown token is needed
        letters = "bcdefghijklmnopqrstuvwxyz?<>#é" if covers else "bcdefghijklmnopqrstuvwxy"
        pieces = [(word, -draw.random() * 10) for word in dict.fromkeys([*words, *letters])]
        unknown = None if covers and draw.random() < 0.7 else 1
        tokenizer = tokenizers.Tokenizer(models.Unigram(pieces, unk_id=unknown, byte_fallback=False))
    elif kind == "bpe":
        unknown = draw.choice([None, names[0]])
        tokenizer = tokenizers.Tokenizer(models.BPE(ids, [], unk_token=unknown, fuse_unk=draw.random() < 0.5))
    else:
        model = models.WordPiece if kind == "wordpiece" else models.WordLevel
        tokenizer = tokenizers.Tokenizer(model(ids, unk_token=names[0]))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if draw.random() < 0.5:
        tokenizer.add_special_tokens(["[PAD]", *draw.sample(names, draw.randint(0, len(names))), "[CLS]", "[SEP]"])
    return tokenizer


def write_static_embedding(directory: pathlib.Path, draw: random.Random) -> tuple[np.ndarray, np.ndarray]:
    tokenizer = write_tokenizer(draw)
    rows = torch.randn(tokenizer.get_vocab_size(), draw.choice([1, 5, 16, 67, 256]))
    chain = [StaticEmbedding(tokenizer, embedding_weights=rows)]
    if draw.random() < 0.5:
        chain.append(Normalize())
    model = SentenceTransformer(modules=chain, device="cpu")
    model.save(str(directory), create_model_card=False)
    model = SentenceTransformer(str(directory), device="cpu")
    single = model.encode(TEXTS)
    return single, model.double().encode(TEXTS)


def write_model2vec(directory: pathlib.Path, draw: random.Random) -> tuple[np.ndarray, np.ndarray]:
    tokenizer = write_tokenizer(draw)
    tokens = tokenizer.get_vocab_size()
    has_mapping, has_weights = draw.random() < 0.4, draw.random() < 0.4
    generator = np.random.default_rng(draw.randrange(2**32))
    rows = tokens // 2 if has_mapping else tokens
    kind = draw.choice([np.float32, np.float32, np.float16, np.float64, np.int8])
    vectors = generator.standard_normal((rows, draw.choice([1, 5, 16, 67, 256])))
    vectors = (vectors * 40).clip(-127, 127).astype(kind) if kind is np.int8 else vectors.astype(kind)
    model = StaticModel(vectors, tokenizer, normalize=draw.random() < 0.5,
                        weights=generator.random(tokens).astype(np.float64) if has_weights else None,
                        token_mapping=generator.integers(0, rows, tokens) if has_mapping else None,
                        max_length=draw.choice([512, 512, 7, None]))
    model.save_pretrained(directory)
    config = directory / "config.json"
    if draw.random() < 0.5:
        config.write_text(json.dumps({"model_type": "model2vec"} | json.loads(config.read_text())))
    if draw.random() < 0.5:
        (directory / "modules.json").unlink()
    if draw.random() < 0.5:
        beside = {"tokenizer_class": "BertTokenizer", "unk_token": draw.choice(NAMES), "mask_token": "[M]"}
        (directory / "tokenizer_config.json").write_text(json.dumps(beside))
    model = StaticModel.from_pretrained(directory)
    model.median_token_length = 10**6  # avoids the cut by characters (docs/RETRIEVAL.md)
    single = model.encode(TEXTS, use_multiprocessing=False)
    model.embedding = model.embedding.astype(np.float64)
    return single, model.encode(TEXTS, use_multiprocessing=False)


def check(number: int, program: str, root: pathlib.Path) -> str:
    """Returns "" if the program's vectors agree with the reference's, else a message that says what differs."""
    draw = random.Random(number)
    torch.manual_seed(number)
    directory, output = root / "model", root / "out.npy"
    write = draw.choice([write_static_embedding, write_model2vec])
    single, double = write(directory, draw)
    assert double.dtype == np.float64
    what = write.__name__.removeprefix("write_")
    command = [program, "embed", "--model", str(directory), "--format", "npy", "--output", str(output), *TEXTS]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return f"{what}: refused: {run.stderr.strip().splitlines()[-1]}"
    ours = np.load(output).astype(np.float64)
    if ours.shape != double.shape:
        return f"{what}: shape {ours.shape}, expected {double.shape}"
    allowed = max(1e-6 * np.abs(double).max(), 2 * np.abs(single - double).max())
    error = np.abs(ours - double).max(1)
    worst = int(error.argmax())
    if error[worst] <= allowed:
        return ""
    return f"{what}: {TEXTS[worst]!r}: error {error[worst]:.3g}, allowed {allowed:.3g}"


def main() -> int:
    logging.disable(logging.WARNING)
    return run_cases(__doc__, check, 100)


if __name__ == "__main__":
    sys.exit(main())
