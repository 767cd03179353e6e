#!/usr/bin/env python3
"""Compares dense, sparse and token vectors and their scores with FlagEmbedding on random directories in BGE-M3's form.

For developers. Needs torch, transformers, sentence-transformers and FlagEmbedding, which the tests do not need.

    python3 tests/reference/m3_models.py --count 30 --program build/bert-infer

Each directory has a tiny XLM-RoBERTa with random weights, the modules of its dense vector, and the heads
colbert_linear.pt and sparse_linear.pt in float32 or float16, which tools/convert_weights.py converts. A vector passes
if it differs from the reference's in float64 by at most 1e-6 of the largest number, or by at most twice the reference's
largest error in float32. A pair's score, with random weights of the kinds, may differ by 2e-6 of the largest mean of
the kinds' absolute scores: both vectors of a product have an error, and scores of different signs cancel.
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
import tokenizers
import torch
import transformers
from FlagEmbedding import BGEM3FlagModel
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling

from random_cases import run_cases

CONVERTER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "convert_weights.py"
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "a", "and"]
TEXTS = ["the quick brown fox", "fox " * 30, "unknown zebra fox", *(
    " ".join(random.Random(i).choices([*WORDS, "zebra"], k=1 + i % 14)) for i in range(21))]
KINDS = ["dense", "sparse", "tokens"]


def write_tokenizer(directory: pathlib.Path) -> int:
    """Writes a Unigram tokenizer with XLM-RoBERTa's special tokens. Returns the size of its vocabulary."""
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces = [(piece, 0.0) for piece in special]
    pieces += [(piece, -random.Random(piece).random() * 5 - 1)
               for piece in ["▁", *("▁" + word for word in WORDS), *"abdefghijklnopqrstuvwxy", "ing", "s", "<mask>"]]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", cls_token="<s>", eos_token="</s>", sep_token="</s>",
        pad_token="<pad>", unk_token="<unk>", mask_token="<mask>", model_max_length=24)
    fast.save_pretrained(directory)
    return len(pieces)


def write_model(directory: pathlib.Path, draw: random.Random) -> None:
    """Writes a directory in FlagEmbedding's form and converts it."""
    encoder = directory / "encoder"
    encoder.mkdir()
    size, hidden = write_tokenizer(encoder), draw.choice([12, 24, 36])
    config = transformers.XLMRobertaConfig(
        vocab_size=size, hidden_size=hidden, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40,
        max_position_embeddings=40, initializer_range=draw.choice([0.05, 0.3]), bos_token_id=0, pad_token_id=1,
        eos_token_id=2, type_vocab_size=1)
    model = transformers.XLMRobertaModel(config)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter, std=0.2)
    model.save_pretrained(encoder)
    whole = SentenceTransformer(modules=[Transformer(str(encoder)), Pooling(hidden, "cls"), Normalize()], device="cpu")
    whole.save(str(directory / "model"), create_model_card=False)
    target = directory / "model"
    kind = draw.choice([torch.float32, torch.float16])
    for name, width in (("colbert_linear", hidden), ("sparse_linear", 1)):
        linear = torch.nn.Linear(hidden, width).to(kind)
        torch.nn.init.normal_(linear.weight, std=0.3)
        torch.save(linear.state_dict(), target / (name + ".pt"))
    torch.save(model.state_dict(), target / "pytorch_model.bin")
    subprocess.run([sys.executable, str(CONVERTER), str(target / "pytorch_model.bin"), "--force", "--quiet",
                    "--no-verify"], check=True)


def reference(model: BGEM3FlagModel) -> dict[str, list[np.ndarray]]:
    """Returns the vectors of the texts of each kind: dense vectors, sparse vectors over the whole vocabulary, and token
    vectors."""
    output = model.encode(TEXTS, return_dense=True, return_sparse=True, return_colbert_vecs=True)
    sparse = []
    for weights in output["lexical_weights"]:
        row = np.zeros(len(model.tokenizer))
        for token, weight in weights.items():
            row[int(token)] = weight
        sparse.append(row)
    return {"dense": list(output["dense_vecs"]), "sparse": sparse, "tokens": list(output["colbert_vecs"])}


def scores_of(vectors: dict[str, list[np.ndarray]], weights: list[float]) -> np.ndarray:
    """Returns the scores of all texts with the first one, [kinds, texts]. Each is multiplied by its kind's share in the
    sum of M3Embedder.compute_score."""
    scores = []
    for i in range(len(TEXTS)):
        products = vectors["tokens"][0] @ vectors["tokens"][i].T
        kinds = [vectors["dense"][0] @ vectors["dense"][i], vectors["sparse"][0] @ vectors["sparse"][i],
                 products.max(axis=1).sum() / len(products)]
        scores.append(np.array(kinds) * weights / sum(weights))
    return np.array(scores).T


def difference(ours: list[np.ndarray], single: list[np.ndarray], double: list[np.ndarray], largest: float) -> str:
    """Returns "" if the vectors agree, else a message that says what differs."""
    for i, (one, exact) in enumerate(zip(ours, double)):
        if one.shape != exact.shape:
            return f"text {i}: shape {one.shape}, expected {exact.shape}"
    allowed = max(1e-6 * largest, 2 * max(np.abs(one - exact).max() for one, exact in zip(single, double)))
    error = max(np.abs(one - exact).max() for one, exact in zip(ours, double))
    return "" if error <= allowed else f"error {error:.3g}, allowed {allowed:.3g}"


def check(number: int, program: str, root: pathlib.Path) -> str:
    draw = random.Random(number)
    torch.manual_seed(number)
    write_model(root, draw)
    directory = root / "model"
    weights = [draw.choice([0.0, 0.2, 0.3, 1.0, 2.5]) for _ in KINDS]
    weights[draw.randrange(3)] = 1.0

    model = BGEM3FlagModel(str(directory), use_fp16=False, devices="cpu", query_max_length=24, passage_max_length=24)
    single = reference(model)
    model.model.double()
    model.model.float = lambda: model.model  # encode() calls float()
    double = reference(model)
    assert double["dense"][0].dtype == np.float64

    def run(*arguments: str) -> list[dict]:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return [json.loads(line) for line in done.stdout.splitlines()]

    try:
        results = run("embed", "--model", str(directory), "--kind", ",".join(KINDS), "--format", "jsonl", *TEXTS)
        alone = {kind: run("embed", "--model", str(directory), "--kind", kind, "--format", "jsonl", *TEXTS)
                 for kind in KINDS}
        ranked = run("rerank", "--model", str(directory), "--kind", ",".join(KINDS), "--weights",
                     ",".join(map(str, weights)), "--format", "jsonl", TEXTS[0], *TEXTS)[0]["results"]
    except RuntimeError as error:
        return f"refused: {error}"
    ours = {"dense": [np.array(one["embedding"]) for one in results],
            "tokens": [np.array(one["vectors"]) for one in results], "sparse": []}
    for one in results:
        row = np.zeros_like(double["sparse"][0])
        for entry in one["sparse"]:
            row[entry["id"]] = entry["weight"]
        ours["sparse"].append(row)
    for kind, member in (("dense", "embedding"), ("sparse", "sparse"), ("tokens", "vectors")):
        if [one[member] for one in results] != [one[member] for one in alone[kind]]:
            return f"{kind}: other numbers alone than with the others"
        largest = max(np.abs(exact).max() for exact in double[kind])
        result = difference(ours[kind], single[kind], double[kind], largest)
        if result:
            return f"{kind}: {result}: {directory}"
    scores = np.zeros(len(TEXTS))
    for one in ranked:
        scores[one["index"]] = one["score"]
    parts = scores_of(double, weights)
    largest = 2 * np.abs(parts).sum(axis=0).max()
    result = difference([scores], [scores_of(single, weights).sum(axis=0)], [parts.sum(axis=0)], largest)
    return f"scores: {result}: {directory}" if result else ""


def main() -> int:
    logging.disable(logging.WARNING)
    transformers.utils.logging.disable_progress_bar()
    return run_cases(__doc__, check, 30)


if __name__ == "__main__":
    sys.exit(main())
