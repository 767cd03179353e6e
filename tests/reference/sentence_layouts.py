#!/usr/bin/env python3
"""Compares `bert-infer embed` with sentence-transformers on random directories that sentence-transformers writes.

For developers. Needs torch, transformers and sentence-transformers, which the tests do not need.

    python3 tests/reference/sentence_layouts.py --count 300 --program build/bert-infer

Each directory has a tiny encoder with random weights and a random chain of modules, with the class names and settings
of versions before or since 5.4. A third of the directories have a Router, of whole chains or of the modules after
pooling, and are compared for each task. A vector passes if its difference from the reference's in float64 is at most
1e-6 of its norm, or at most twice the reference's largest error in float32. A refusal passes if its reason is
documented.
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
import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Dense, Normalize, Router, Transformer
from sentence_transformers.sentence_transformer.modules import Dropout, LayerNorm, Pooling

from random_cases import run_cases

TEXTS = ["the quick brown fox", "a", "jumps over the lazy dog and the fox and the dog", "fox " * 30, "dog over fox"]
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "a", "and"]
MODES = Pooling.POOLING_MODES
SUPPORTED = [torch.nn.CELU, torch.nn.ELU, torch.nn.GELU, torch.nn.Hardshrink, torch.nn.Hardsigmoid, torch.nn.Hardswish,
             torch.nn.Hardtanh, torch.nn.Identity, torch.nn.LeakyReLU, torch.nn.LogSigmoid, torch.nn.Mish,
             torch.nn.ReLU, torch.nn.ReLU6, torch.nn.RReLU, torch.nn.SELU, torch.nn.SiLU, torch.nn.Sigmoid,
             torch.nn.Softplus, torch.nn.Softshrink, torch.nn.Softsign, torch.nn.Tanh, torch.nn.Tanhshrink]
REFUSED = [torch.nn.PReLU, torch.nn.Softmax]
OLD_NAMES = {
    "sentence_transformers.base.modules.transformer.Transformer": "sentence_transformers.models.Transformer",
    "sentence_transformers.sentence_transformer.modules.pooling.Pooling": "sentence_transformers.models.Pooling",
    "sentence_transformers.base.modules.dense.Dense": "sentence_transformers.models.Dense",
    "sentence_transformers.base.modules.normalize.Normalize": "sentence_transformers.models.Normalize",
    "sentence_transformers.sentence_transformer.modules.layer_norm.LayerNorm": "sentence_transformers.models.LayerNorm",
    "sentence_transformers.sentence_transformer.modules.dropout.Dropout": "sentence_transformers.models.Dropout",
    "sentence_transformers.base.modules.router.Router": "sentence_transformers.models.Router",
}


def write_encoder(directory: pathlib.Path, draw: random.Random) -> int:
    """Writes a tiny encoder with its tokenizer. Returns the hidden size."""
    directory.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (directory / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    transformers.BertTokenizer(str(directory / "vocab.txt"), model_max_length=16).save_pretrained(directory)
    hidden = draw.choice([12, 24, 36])
    if draw.random() < 0.3:
        config = transformers.DistilBertConfig(vocab_size=len(vocabulary), dim=hidden, n_layers=2, n_heads=3,
                                               hidden_dim=40, max_position_embeddings=24)
    else:
        config = transformers.BertConfig(vocab_size=len(vocabulary), hidden_size=hidden, num_hidden_layers=2,
                                         num_attention_heads=3, intermediate_size=40, max_position_embeddings=24)
    config.initializer_range = 0.1
    transformers.AutoModel.from_config(config).save_pretrained(directory)
    return hidden


def random_dense(width: int, draw: random.Random, of_tokens: bool) -> Dense:
    activation = draw.choice(SUPPORTED if draw.random() < 0.95 else REFUSED)()
    out = draw.choice([width, 7, 20, 33])
    dense = Dense(width, out, bias=draw.random() < 0.7, activation_function=activation,
                  use_residual=draw.random() < 0.3,
                  module_input_name="token_embeddings" if of_tokens else "sentence_embedding")
    torch.nn.init.normal_(dense.linear.weight, std=0.4)
    return dense


def random_pooling(width: int, draw: random.Random) -> Pooling:
    modes = draw.sample(MODES, draw.choice([1, 1, 1, 2, 3]))
    return Pooling(width, pooling_mode=modes if len(modes) > 1 else modes[0])


def random_vector(encoder: pathlib.Path, hidden: int, draw: random.Random) -> list:
    """Returns the modules up to the text's vector."""
    modules = [Transformer(str(encoder), max_seq_length=draw.choice([None, 8, 16]))]
    width = hidden
    for _ in range(draw.choice([0, 0, 0, 1, 2])):
        if draw.random() < 0.6:
            modules.append(random_dense(width, draw, of_tokens=True))
            width = modules[-1].out_features
        else:
            modules.append(Normalize(module_input_name="token_embeddings"))
    modules.append(random_pooling(width, draw))
    if draw.random() < 0.1:
        modules.append(random_pooling(width, draw))
    return modules


def random_changes(width: int, draw: random.Random) -> list:
    """Returns modules that change the text's vector."""
    modules = []
    for _ in range(draw.choice([0, 0, 1, 1, 2, 3])):
        kind = draw.choice(["dense", "dense", "norm", "layer_norm", "dropout"])
        if kind == "dense":
            modules.append(random_dense(width, draw, of_tokens=False))
            width = modules[-1].out_features
        elif kind == "norm":
            modules.append(Normalize())
        elif kind == "layer_norm":
            modules.append(LayerNorm(width))
            torch.nn.init.normal_(modules[-1].norm.weight)
            torch.nn.init.normal_(modules[-1].norm.bias)
        else:
            modules.append(Dropout(0.3))
    if draw.random() < 0.5:
        modules.append(Normalize())
    return modules


def random_router(routes: dict[str, list], draw: random.Random) -> Router:
    """Returns a Router of these routes. The way in which it chooses one is random."""
    mappings = {("passage", None): "document", (None, "text"): "query"} if draw.random() < 0.2 else None
    return Router(routes, default_route=draw.choice([None, "query", "document"]), route_mappings=mappings)


def random_chain(encoder: pathlib.Path, hidden: int, draw: random.Random) -> list:
    """Returns a random chain of modules: without a Router, with a Router of whole chains, or with one after pooling."""
    kind = draw.choice(["plain", "plain", "plain", "plain", "chains", "changes"])
    if kind == "chains":
        chains = {}
        for name in ("query", "document"):
            vector = random_vector(encoder, hidden, draw)
            chains[name] = vector + random_changes(vector[-1].get_embedding_dimension(), draw)
        return [random_router(chains, draw), *([Normalize()] if draw.random() < 0.5 else [])]
    modules = random_vector(encoder, hidden, draw)
    width = modules[-1].get_embedding_dimension()
    if kind == "changes":
        routes = {name: [random_dense(width, draw, of_tokens=False), *([Normalize()] if draw.random() < 0.5 else [])]
                  for name in ("query", "document")}
        return [*modules, random_router(routes, draw)]
    return modules + random_changes(width, draw)


def make_old(directory: pathlib.Path) -> None:
    """Changes class names and settings to those that versions before 5.4 wrote."""
    for path in [directory / "modules.json", *directory.rglob("router_config.json")]:
        content = path.read_text()
        for name, old in OLD_NAMES.items():
            content = content.replace(f'"{name}"', f'"{old}"')
        path.write_text(content)
    for config_path in directory.rglob("config.json"):
        config = json.loads(config_path.read_text())
        if "pooling_mode" not in config:
            continue
        modes = config.pop("pooling_mode")
        modes = [modes] if isinstance(modes, str) else modes
        booleans = {"cls": "cls_token", "max": "max_tokens", "mean": "mean_tokens",
                    "weightedmean": "weightedmean_tokens", "mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
                    "lasttoken": "lasttoken"}
        config["word_embedding_dimension"] = config.pop("embedding_dimension")
        for mode in MODES:
            config["pooling_mode_" + booleans[mode]] = mode in modes
        config_path.write_text(json.dumps(config))


def check(number: int, program: str, root: pathlib.Path) -> str:
    """Returns "" if the vectors agree, "refused: why", or what differs."""
    draw = random.Random(number)
    torch.manual_seed(number)
    hidden = write_encoder(root / "encoder", draw)
    model = SentenceTransformer(modules=random_chain(root / "encoder", hidden, draw), device="cpu")
    if draw.random() < 0.2:
        model.truncate_dim = draw.choice([1, 5, 1000])
    directory = root / "model"
    model.save(str(directory), create_model_card=False)
    if draw.random() < 0.5:
        make_old(directory)
    tasks = [None, "query", "document", "passage"] if list(directory.rglob("router_config.json")) else [None]
    for task in tasks:
        result = compare(directory, task, program, root / "out.npy")
        if result:
            return result if task is None else f"task {task}: {result}"
    return ""


def compare(directory: pathlib.Path, task: str | None, program: str, output: pathlib.Path) -> str:
    """Compares the vectors for one task of a Router, or without a task. Returns as check() does."""
    try:
        model = SentenceTransformer(str(directory), device="cpu")
        single = model.encode(TEXTS, task=task).astype(np.float64)
        double = model.double().encode(TEXTS, task=task)
    except ValueError as error:  # the Router has no route for the task
        assert "route" in str(error).lower(), error
        double = single = None
    run = subprocess.run([program, "embed", "--model", str(directory), "--format", "npy", "--output", str(output),
                          *(["--task", task] if task else []), *TEXTS], capture_output=True, text=True, check=False)
    if double is None:
        return "" if run.returncode and "route" in run.stderr else "the reference finds no route"
    assert double.dtype == np.float64
    if run.returncode != 0:
        return "refused: " + run.stderr.strip().splitlines()[-1]
    ours = np.load(output).astype(np.float64)
    if ours.shape != double.shape:
        return f"shape {ours.shape}, expected {double.shape}"
    error = np.linalg.norm(ours - double, axis=1)
    allowed = np.maximum(1e-6 * np.linalg.norm(double, axis=1), 2 * np.linalg.norm(single - double, axis=1).max())
    if (error <= allowed).all():
        return ""
    worst = int(np.argmax(error - allowed))
    return f"text {worst}: error {error[worst]:.3g}, allowed {allowed[worst]:.3g}: {directory}"


def main() -> int:
    logging.disable(logging.WARNING)
    transformers.utils.logging.disable_progress_bar()
    return run_cases(__doc__, check, 300,
                     lambda result: "is not supported" in result and "activation_function 'torch." in result)


if __name__ == "__main__":
    sys.exit(main())
