"""Measures what a network keeps of positions, as the program's `order`, `probe` and `positions` do. It also measures
networks that cannot be written as a checkpoint."""

import random

import torch
import torch.nn.functional as F

from .corpus import POSITIONS
from .vocabulary import CLS, SEP

ROWS = 160
SHUFFLES = 3


def hidden_states(network, ids):
    """Returns the vectors after the embeddings and after each layer, each [rows, tokens, hidden]."""
    states = []
    hooks = [module.register_forward_hook(lambda _, __, out: states.append(out))
             for module in (network.norm, *network.layers)]
    with torch.inference_mode():
        network(ids)
    for hook in hooks:
        hook.remove()
    return states


def held_out_rows(passages):
    """Returns ids [rows, tokens] of consecutive held-out sentences between [CLS] and [SEP]."""
    rows = torch.from_numpy(passages.ids[:ROWS * (POSITIONS - 2)].copy()).reshape(-1, POSITIONS - 2)
    return F.pad(F.pad(rows, (1, 0), value=CLS), (0, 1), value=SEP)


def moved_by_order(network, sentences):
    """Returns how far a token's last vector moves if the sentence's order changes: the mean distance relative to the
    vector's norm, over SHUFFLES orders of each sentence. Sentences are lists of ids. The special tokens keep their
    places."""
    rng, moved = random.Random(1), []
    for ids in sentences:
        original = hidden_states(network, torch.tensor([ids]))[-1][0]
        for _ in range(SHUFFLES):
            order = list(range(1, len(ids) - 1))
            rng.shuffle(order)
            order = [0, *order, len(ids) - 1]
            shuffled = hidden_states(network, torch.tensor([[ids[i] for i in order]]))[-1][0]
            moved.append(((shuffled - original[order]).norm(dim=1) / original[order].norm(dim=1)).mean().item())
    return sum(moved) / len(moved)


def explained_by(groups, vectors):
    """Returns the adjusted R²: the part of the variance of `vectors` [tokens, hidden] that the group means explain."""
    _, index, counts = torch.unique(groups, return_inverse=True, return_counts=True)
    means = torch.zeros(len(counts), vectors.shape[1]).index_add_(0, index, vectors) / counts[:, None]
    rest, total = ((vectors - means[index]) ** 2).sum(), ((vectors - vectors.mean(0)) ** 2).sum()
    tokens = len(groups)
    return (1 - rest / (tokens - len(counts)) / (total / (tokens - 1))).item()


def position_figures(network, passages):
    """Returns `moved` (see moved_by_order), `position` and `word` (the shares of the variance that they explain, after
    the embeddings and after each layer), and `neighbours` (the mean cosine of neighbouring position vectors)."""
    ids = held_out_rows(passages)
    places = torch.arange(1, POSITIONS - 1).expand(len(ids), -1).flatten()
    states = [state[:, 1:-1].flatten(0, 1) for state in hidden_states(network, ids)]
    table = network.positions.weight.detach()
    sentences = [[CLS, *passages.ids[a:b].tolist(), SEP]
                 for a, b in zip(passages.starts, passages.starts[1:]) if 8 <= b - a <= 20]
    return {"moved": moved_by_order(network, sentences[:100]),
            "position": [round(explained_by(places, state), 4) for state in states],
            "word": [round(explained_by(ids[:, 1:-1].flatten(), state), 4) for state in states],
            "neighbours": F.cosine_similarity(table[1:], table[:-1]).mean().item()}
