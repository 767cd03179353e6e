"""The last step of the training. It trains only the masked-token head, on single sentences and on packed rows.

Before this step the head was trained only on rows of 128 tokens and on pairs; single sentences were for similarity. On
a single sentence such a head repeats the words. The encoder does not change, so similarity and sentence pairs do not
change either.
"""

import random

import torch
import torch.nn.functional as F

from .corpus import masked
from .network import pad_rows
from .training import MASK_RATE

RATE, BATCH, LONGEST = 2e-3, 2048, 64
PACKED_ROWS = 4000
# The numbers of single sentences: from those for the teacher, and from each source.
FOR_TEACHER, SOURCES = 25000, {"plain": 12000, "relations": 22000, "wordnet": 12000}


def single_sentences(texts, tokenizer, seed):
    """Returns the ids of single sentences, sorted by length."""
    rng, told = random.Random(seed), [text for family in texts.families for text in family]
    chosen = rng.sample(told, min(FOR_TEACHER, len(told)))
    for source, count in SOURCES.items():
        told = [text for document in texts.documents[source] for text in document]
        chosen += rng.sample(told, min(count, len(told)))
    tokenizer.no_truncation()
    return sorted((e.ids[:LONGEST] for e in tokenizer.encode_batch(chosen)), key=len)


def hidden_states(network, rows, packed):
    """Returns the last hidden states of masked tokens [tokens, hidden], and the ids that stood there. rows are lists of
    ids. packed is [rows, tokens]."""
    device, found = network.word_bias.device, []
    inputs = [pad_rows(rows[at:at + 256]) for at in range(0, len(rows), 256)]
    inputs += [(part, None) for part in packed.split(64)]
    for number, (ids, mask) in enumerate(inputs):
        shown, chosen, wanted = masked(random.Random(number), ids, network.shape.vocab, MASK_RATE)
        with torch.no_grad():
            hidden = network(shown.to(device), None if mask is None else mask.to(device))
        found.append((hidden.flatten(0, 1)[chosen.to(device)], wanted.to(device)))
    return tuple(torch.cat(part) for part in zip(*found))


def tune_word_head(network, rows, packed, steps, seed):
    """Trains the head's matrix, norm and bias for so many steps. The table of word embeddings, which the head shares
    with the encoder, does not change."""
    hidden, wanted = hidden_states(network, rows, packed)
    head = [*network.transform.parameters(), *network.transform_norm.parameters(), network.word_bias]
    optimizer, draw = torch.optim.Adam(head, betas=(0.9, 0.98)), torch.Generator().manual_seed(seed)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = RATE * (1 - step / steps)
        batch = torch.randint(len(wanted), (BATCH,), generator=draw).to(wanted.device)
        loss = F.cross_entropy(network.word_logits(hidden[batch]), wanted[batch])
        network.zero_grad()
        loss.backward()
        optimizer.step()
    network.zero_grad()
