#!/usr/bin/env python3
"""Compares the terms of explain_similarity with integrated gradients.

For developers. Needs torch, transformers and captum, which the tests do not need. Reports the agreement. The two
methods answer different questions, so they need not agree.

    PYTHONPATH=build/python python3 tests/reference/compare_attributions.py MODEL PAIRS.csv --count 50

MODEL is a directory of a mean-pooled BERT, PAIRS the STS benchmark's file. For each text of a pair, computes the sum of
each token's terms, and the integrated gradients (Sundararajan et al. 2017) of the cosine by the token's embedding, from
an embedding of padding in 50 steps. Prints the mean Pearson and Spearman correlations over the tokens, without special
ones, and how often both methods have the same first token.
"""

import argparse
import csv
import os
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import bert_infer
import numpy as np
import torch
import transformers
from captum.attr import LayerIntegratedGradients

STEPS = 50


def pooled(model: torch.nn.Module, ids: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.normalize(model(ids).last_hidden_state.mean(1), dim=-1)


def gradients(model: torch.nn.Module, ids: list[int], other: torch.Tensor, padding: int) -> np.ndarray:
    """Returns the attribution of each token, also of special ones."""
    one = torch.tensor([ids])
    baseline = one.clone()
    baseline[:, 1:-1] = padding
    method = LayerIntegratedGradients(lambda x: (pooled(model, x) * other).sum(-1), model.embeddings.word_embeddings)
    return method.attribute(one, baselines=baseline, n_steps=STEPS, internal_batch_size=50)[0].sum(-1).detach().numpy()


def ranks(values: np.ndarray) -> np.ndarray:
    return values.argsort().argsort().astype(float)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--count", type=int, default=50)
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    ours = bert_infer.Model(options.model)
    reference = transformers.AutoModel.from_pretrained(options.model, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
    with options.pairs.open(newline="") as file:
        pairs = [(row[5], row[6]) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)][: options.count]
    found: dict[str, list[float]] = {"Pearson": [], "Spearman": [], "same first token": []}
    for pair in pairs:
        why = ours.explain_similarity(*pair)
        ids = [tokenizer(text)["input_ids"] for text in pair]
        with torch.no_grad():
            vectors = [pooled(reference, torch.tensor([each])) for each in ids]
        for axis in (0, 1):
            terms = why["pairs"].sum(axis=1 - axis)[1:-1]
            theirs = gradients(reference, ids[axis], vectors[1 - axis], reference.config.pad_token_id)[1:-1]
            if len(terms) < 3:
                continue
            found["Pearson"].append(np.corrcoef(terms, theirs)[0, 1])
            found["Spearman"].append(np.corrcoef(ranks(terms), ranks(theirs))[0, 1])
            found["same first token"].append(float(terms.argmax() == theirs.argmax()))
    for what, values in found.items():
        print(f"{what}: {np.mean(values):.3f} (of {len(values)} texts)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
