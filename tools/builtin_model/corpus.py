"""Makes the token ids of the training: packed rows of 128 tokens, pairs of passages, and sentences with their targets.

The data of a step depend only on the seed and on the number of the row or step, so that training resumes where it was.
"""

import itertools
import random

import numpy as np
import torch

from .lexicon import BLOCK, is_held_out
from .network import pad_rows
from .vocabulary import CLS, MASK, PAD, SEP

POSITIONS = 128
NEAREST = 2               # so many near sentences come with a family
EQUAL_COSINE = 0.98
# An epoch takes each source so often. A number below 1 is the part of the documents, drawn anew in every epoch.
COPIES = {"wordnet": 1.0, "relations": 0.7, "plain": 1.0, "austen": 0.35, "bible": 0.15, "devil": 0.5,
          "speeches": 0.5, "compared": 1.0}


def masked(rng, ids, vocab, rate):
    """Chooses `rate` of the tokens. Of these 80 % become [MASK], 10 % another token, and 10 % stay (Devlin et al.
    2019). Returns the new ids, the flat positions of the chosen tokens, and the ids that stood there."""
    draw = torch.Generator().manual_seed(rng.randrange(2 ** 31))
    chosen = ((torch.rand(ids.shape, generator=draw) < rate) & (ids > MASK)).flatten().nonzero().flatten()
    wanted, fate = ids.flatten()[chosen], torch.rand(len(chosen), generator=draw)
    other = torch.randint(MASK + 1, vocab, (len(chosen),), generator=draw)
    shown = torch.where(fate < 0.8, MASK, torch.where(fate < 0.9, other, wanted))
    return ids.flatten().index_put((chosen,), shown).view_as(ids), chosen, wanted


class Packed:
    """Cuts documents into rows of [CLS] and 127 tokens. Each sentence has a [SEP] after it. Row k of the training is
    always the same."""

    def __init__(self, sources, tokenizer, seed):
        """sources is {name: documents}; a document is a list of texts."""
        self.seed, self.documents = seed, {}
        for source, documents in sources.items():
            encoded = iter(tokenizer.encode_batch([t for d in documents for t in d], add_special_tokens=False))
            self.documents[source] = [np.array([i for _ in d for i in [*next(encoded).ids, SEP]], np.int16)
                                      for d in documents]
        self.epoch, self.first_row, self.rows = -1, 0, np.zeros((0, POSITIONS), np.int16)

    def tokens(self):
        return {source: sum(map(len, documents)) for source, documents in self.documents.items()}

    def next_epoch(self):
        self.epoch, self.first_row = self.epoch + 1, self.first_row + len(self.rows)
        rng, chosen = random.Random(f"{self.seed} {self.epoch}"), []
        for source, documents in self.documents.items():
            whole = int(COPIES[source])
            chosen += documents * whole + rng.sample(documents, int(len(documents) * (COPIES[source] - whole)))
        rng.shuffle(chosen)
        ids = np.concatenate(chosen)
        ids = ids[:len(ids) // (POSITIONS - 1) * (POSITIONS - 1)].reshape(-1, POSITIONS - 1)
        self.rows = np.concatenate((np.full((len(ids), 1), CLS, np.int16), ids), axis=1)
        np.random.default_rng([self.seed, self.epoch]).shuffle(self.rows)

    def take(self, first, count):
        """Returns rows `first` to `first + count` of the whole training, [count, 128]. `first` must grow from call to
        call."""
        parts = []
        while count:
            while first >= self.first_row + len(self.rows):
                self.next_epoch()
            part = self.rows[first - self.first_row:][:count]
            parts.append(part)
            first, count = first + len(part), count - len(part)
        return torch.from_numpy(np.concatenate(parts).astype(np.int64))


class Sentences:
    """Holds the families' sentences as ids, and the teacher's vectors. Each family comes with the two sentences whose
    vectors are nearest to that of its first sentence, because sentences drawn at random are seldom alike."""

    def __init__(self, families, rows, targets, device="cpu"):
        """families are lists of texts. rows and targets are the ids and vectors of all texts. The vectors are compared
        on `device`."""
        self.ids, self.targets = np.concatenate([np.array(row, np.int16) for row in rows]), targets
        self.lengths = np.array([len(row) for row in rows])
        self.starts = np.cumsum(self.lengths) - self.lengths
        sizes = np.array([len(family) for family in families])
        self.first = np.cumsum(sizes) - sizes
        near = nearest(targets, self.first, device)
        self.groups = [np.array([*range(at, at + size), *row])
                       for at, size, row in zip(self.first, sizes, near.tolist())]
        self.total = sum(map(len, self.groups))
        self.epoch, self.ready = None, []

    def batches(self, seed, epoch, sentences):
        """Returns the batches of one epoch: lists of sentence numbers, and of the numbers of their families. A family
        is never divided. Sentences of a batch have similar lengths."""
        if self.epoch != (seed, epoch, sentences):
            rng = np.random.default_rng([seed, epoch])
            order = np.argsort(self.lengths[self.first] + 6 * rng.random(len(self.first)), kind="stable")
            sizes = np.array([len(self.groups[family]) for family in order])
            numbers, owners = np.concatenate([self.groups[family] for family in order]), np.repeat(order, sizes)
            # A batch ends with the family that reaches `sentences`.
            ends = np.cumsum(sizes)
            cuts = np.unique(ends[np.searchsorted(ends, np.arange(sentences, ends[-1] + 1, sentences))])
            self.ready = list(zip(np.split(numbers, cuts)[:len(cuts)], np.split(owners, cuts)))
            random.Random(f"{seed} {epoch}").shuffle(self.ready)
            self.epoch = seed, epoch, sentences
        return self.ready

    def batch(self, seed, number, sentences):
        """Returns the ids, mask, teacher's vectors and families of batch `number` of the whole training."""
        count = max(1, self.total // (sentences + 8))       # a little fewer than the epoch's batches
        ready = self.batches(seed, number // count, sentences)
        numbers, owners = ready[number % count % len(ready)]
        lengths, target = self.lengths[numbers], torch.from_numpy(self.targets[numbers].astype(np.float32))
        columns = np.arange(lengths.max())
        mask = columns < lengths[:, None]
        ids = np.where(mask, self.ids[np.where(mask, self.starts[numbers][:, None] + columns, 0)], PAD)
        return (torch.from_numpy(ids.astype(np.int64)), torch.from_numpy(mask.astype(np.int64)), target,
                torch.from_numpy(owners))


def nearest(vectors, chosen, device, count=NEAREST, among=65536):
    """Returns [chosen, count], the numbers of the vectors nearest to each chosen one. Each chosen vector is compared
    with about `among` random vectors. Vectors almost equal to it are left out."""
    order, result = np.random.default_rng(1).permutation(len(vectors)), np.zeros((len(chosen), count), np.int32)
    # Each part of the chosen vectors is compared with one part of the order.
    parts = np.array_split(order, max(1, len(order) // among))
    for number, asked in enumerate(np.array_split(np.arange(len(chosen)), len(parts))):
        part = parts[number]
        table = torch.from_numpy(vectors[part]).to(device).float()
        for at in range(0, len(asked), 1024):
            rows = asked[at:at + 1024]
            cosines = torch.from_numpy(vectors[chosen[rows]]).to(device).float() @ table.T
            cosines[cosines > EQUAL_COSINE] = -1
            result[rows] = part[cosines.topk(min(count, len(part)), dim=1).indices.cpu().numpy()]
    return result


def passage_texts(synsets, held_out):
    """Returns blocks of consecutive definitions and examples of WordNet, and pairs of a definition and its example."""
    blocks = [list(b) for _, b in itertools.groupby(synsets, lambda s: s.position // BLOCK)]
    blocks = [b for b in blocks if is_held_out(b[0]) == held_out]
    pairs = [(s.sentence(), e + ".") for b in blocks for s in b for e in s.examples[:2]]
    return [[t for s in b for t in [s.sentence()] + [e + "." for e in s.examples]] for b in blocks], pairs


class Passages:
    """Makes runs of consecutive WordNet sentences as one row of ids, and cuts inputs "[CLS] A [SEP] B [SEP]" from it.

    B follows A, or starts somewhere else. Half of the short inputs pair a definition with its example.
    """

    def __init__(self, blocks, pairs, tokenizer):
        """passage_texts returns `blocks` and `pairs`. The second text of a pair continues the first."""
        encoded = iter(tokenizer.encode_batch([t for b in blocks for t in b], add_special_tokens=False))
        ids, starts, ends = [], [], []
        for block in blocks:
            for row in [next(encoded).ids for _ in block]:
                starts.append(len(ids))
                ids.extend(row)
            ends.extend([len(ids)] * (len(starts) - len(ends)))
        self.ids, self.starts, self.ends = np.array(ids), np.array(starts), np.array(ends)
        sides = [[e.ids[:POSITIONS // 2 - 2] for e in tokenizer.encode_batch(list(side), add_special_tokens=False)]
                 for side in zip(*pairs)]
        self.pairs = list(zip(*sides))

    def long_input(self, rng, length):
        """Returns exactly `length` ids, their segments, and 1 if B does not follow A."""
        room = length - 3
        while True:
            i = rng.randrange(len(self.starts))
            cuts = self.starts[i + 1:i + 40]
            cuts = cuts[(cuts < self.starts[i] + room - 4) & (cuts < self.ends[i])] if len(cuts) else cuts
            if self.ends[i] - self.starts[i] >= room and len(cuts):
                break
        cut = rng.choice(cuts.tolist())
        a, random_b, at = self.ids[self.starts[i]:cut].tolist(), rng.random() < 0.5, cut
        while random_b:
            j = rng.randrange(len(self.starts))
            at = self.starts[j]
            if self.ends[j] - at >= room - len(a) and abs(at - cut) > 4 * POSITIONS:
                break
        b = self.ids[at:at + room - len(a)].tolist()
        return [CLS] + a + [SEP] + b + [SEP], [0] * (len(a) + 2) + [1] * (len(b) + 1), int(random_b)

    def short_input(self, rng):
        a, b = rng.choice(self.pairs)
        random_b = rng.random() < 0.5
        if random_b:
            b = rng.choice(self.pairs)[1]
        return [CLS] + a + [SEP] + b + [SEP], [0] * (len(a) + 2) + [1] * (len(b) + 1), int(random_b)

    def batch(self, rng, tokens, vocab, rate):
        """Returns ids, mask, segments, flat positions of the masked tokens, their ids, and the labels of the pairs. A
        batch has about `tokens` tokens."""
        if rng.random() < 0.65:
            length = POSITIONS if rng.random() < 0.8 else rng.randrange(24, POSITIONS)
            rows = [self.long_input(rng, length) for _ in range(max(2, tokens // length))]
        else:
            rows = [self.short_input(rng) for _ in range(max(2, tokens // 30))]
        ids, mask = pad_rows([r[0] for r in rows])
        segments, _ = pad_rows([r[1] for r in rows])
        ids, chosen, wanted = masked(rng, ids, vocab, rate)
        return ids, mask, segments, chosen, wanted, torch.tensor([r[2] for r in rows])
