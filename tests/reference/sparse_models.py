#!/usr/bin/env python3
"""Compares `bert-infer embed --kind sparse` with sentence-transformers' SparseEncoder on random directories.

For developers. Needs torch, transformers, sentence-transformers and scipy, which the tests do not need.

    python3 tests/reference/sparse_models.py --count 100 --program build/bert-infer

Each directory has a tiny masked LM with random weights, with the class names of versions before or since 5.4: a
SpladePooling by maximum or sum, with one logarithm or two, max_active_dims, a Router with a SparseStaticEmbedding for
queries, or no modules at all. A vector passes if its difference from the reference's in float64 is at most 1e-6 of its
largest weight, or at most twice the reference's largest error in float32. With max_active_dims, the kept dimensions may
differ only if their weights are that close.
"""

import json
import logging
import os
import pathlib
import random
import subprocess
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import scipy.sparse
import torch
import transformers
from sentence_transformers import SparseEncoder
from sentence_transformers.base.modules import Router, Transformer
from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding, SpladePooling

from random_cases import run_cases

WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "a", "and"]
# There are many texts, because the largest error of a few texts varies by chance.
TEXTS = ["the quick brown fox", "fox " * 30, "", *(" ".join(random.Random(i).choices(WORDS, k=1 + i % 14))
                                                   for i in range(30))]
OLD_NAMES = {
    "sentence_transformers.base.modules.transformer.Transformer":
        "sentence_transformers.sparse_encoder.models.MLMTransformer",
    "sentence_transformers.base.modules.router.Router": "sentence_transformers.models.Router",
    "sentence_transformers.sparse_encoder.modules.splade_pooling.SpladePooling":
        "sentence_transformers.sparse_encoder.models.SpladePooling",
    "sentence_transformers.sparse_encoder.modules.sparse_static_embedding.SparseStaticEmbedding":
        "sentence_transformers.sparse_encoder.models.SparseStaticEmbedding",
}


def write_encoder(directory: pathlib.Path, draw: random.Random) -> transformers.PreTrainedTokenizerBase:
    """Writes a tiny masked LM with its tokenizer."""
    directory.mkdir()
    fillers = [f"filler{i}" for i in range(draw.choice([0, 40, 400]))]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *fillers]
    (directory / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    tokenizer = transformers.BertTokenizer(str(directory / "vocab.txt"), model_max_length=16)
    tokenizer.save_pretrained(directory)
    hidden, size = draw.choice([12, 24, 36]), len(vocabulary)
    shared = {"vocab_size": size, "max_position_embeddings": 24, "initializer_range": draw.choice([0.05, 0.3]),
              "tie_word_embeddings": draw.random() < 0.7}
    if draw.random() < 0.3:
        config = transformers.DistilBertConfig(dim=hidden, n_layers=2, n_heads=3, hidden_dim=40, **shared)
    else:
        config = transformers.BertConfig(hidden_size=hidden, num_hidden_layers=2, num_attention_heads=3,
                                         intermediate_size=40, **shared)
    model = transformers.AutoModelForMaskedLM.from_config(config)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter, std=0.2)
    if hasattr(model, "cls"):  # both are names of one tensor
        model.cls.predictions.decoder.bias.data.copy_(model.cls.predictions.bias.data)
    model.save_pretrained(directory)
    return tokenizer


def make_old(directory: pathlib.Path) -> None:
    """Changes class names to those of versions before 5.4."""
    for path in [directory / "modules.json", *directory.rglob("router_config.json")]:
        content = path.read_text()
        for name, old in OLD_NAMES.items():
            content = content.replace(f'"{name}"', f'"{old}"')
        path.write_text(content)
    for path in directory.rglob("sentence_bert_config.json"):
        path.write_text(json.dumps({"max_seq_length": 12, "do_lower_case": False}))


def write_model(root: pathlib.Path, draw: random.Random) -> tuple[pathlib.Path, list]:
    """Writes a directory, and returns the tasks to compare."""
    encoder = root / "encoder"
    tokenizer = write_encoder(encoder, draw)
    kind = draw.choice(["plain", "modules", "modules", "router"])
    if kind == "plain":
        return encoder, [None]
    chain = [Transformer(str(encoder), transformer_task="fill-mask"),
             SpladePooling(draw.choice(["max", "max", "sum"]), draw.choice(["relu", "log1p_relu"]))]
    if kind == "router":
        weights = torch.rand(len(tokenizer)) * (torch.rand(len(tokenizer)) < 0.8)
        chain = [Router({"query": [SparseStaticEmbedding(tokenizer, weights)], "document": chain},
                        default_route=draw.choice(["query", "document"]))]
    model = SparseEncoder(modules=chain, device="cpu", max_active_dims=draw.choice([None, None, 1, 5, 10000]))
    directory = root / "model"
    model.save(str(directory), create_model_card=False)
    if draw.random() < 0.5:
        make_old(directory)
    return directory, [None, "query", "document"] if kind == "router" else [None]


def compare(directory: pathlib.Path, task: str | None, program: str, output: pathlib.Path) -> str:
    """Returns "" if the vectors agree, else a message that says what differs."""
    run = subprocess.run([program, "embed", "--model", str(directory), "--kind", "sparse", "--format", "npz",
                          "--output", str(output), *(["--task", task] if task else []), *TEXTS],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return "refused: " + run.stderr.strip().splitlines()[-1]
    ours = scipy.sparse.load_npz(output)
    if not ours.has_canonical_format:
        return "the ids do not ascend"
    ours = ours.toarray().astype(np.float64)
    model = SparseEncoder(str(directory), device="cpu")
    most = model.max_active_dims
    model.max_active_dims = None
    single = model.encode(TEXTS, task=task).to_dense().numpy().astype(np.float64)
    double = model.double().encode(TEXTS, task=task).to_dense().numpy()
    assert double.dtype == np.float64
    if ours.shape != double.shape:
        return f"shape {ours.shape}, expected {double.shape}"
    allowed = max(1e-6 * double.max(), 2 * np.abs(single - double).max())
    if most is not None and most < double.shape[1]:
        least = np.sort(double, axis=1)[:, -most, None]
        if (np.count_nonzero(ours, axis=1) > most).any():
            return f"more than {most} weights"
        if ((ours == 0) & (double > least + 2 * allowed)).any() or ((ours != 0) & (double < least - 2 * allowed)).any():
            return f"other weights are kept: {directory}"
        double = np.where(ours == 0, 0, double)
    error = np.abs(ours - double).max()
    return "" if error <= allowed else f"error {error:.3g}, allowed {allowed:.3g}: {directory}"


def check(number: int, program: str, root: pathlib.Path) -> str:
    """Compares all tasks of one directory."""
    draw = random.Random(number)
    torch.manual_seed(number)
    directory, tasks = write_model(root, draw)
    for task in tasks:
        result = compare(directory, task, program, root / "out.npz")
        if result:
            return result if task is None else f"task {task}: {result}"
    return ""


def main() -> int:
    logging.disable(logging.WARNING)
    transformers.utils.logging.disable_progress_bar()
    return run_cases(__doc__, check, 100)


if __name__ == "__main__":
    sys.exit(main())
