"""Measures every figure of docs/BUILTIN_MODEL.md, from the files of a model's directory."""

import csv
import math
import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from .corpus import POSITIONS, Passages, passage_texts
from .lexicon import read_wordnet
from .network import load_model, pad_rows, pooled
from .plain import everyday_sentences
from .vocabulary import MASK, load_tokenizer


def ranks(values):
    """Returns ranks from 0. Equal values share the mean of their ranks."""
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count + 1) / 2)[group]


def spearman(a, b):
    return float(np.corrcoef(ranks(np.asarray(a)), ranks(np.asarray(b)))[0, 1])


def read_sts(folder, part):
    """Returns the score and the two sentences of every line of stsbenchmark-sts-PART.csv (tab separated)."""
    path = folder / f"stsbenchmark-sts-{part}.csv"
    with open(path, encoding="utf-8", newline="") as file:
        rows = [r for r in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if len(r) >= 7]
    return [float(r[4]) for r in rows], [r[5] for r in rows], [r[6] for r in rows]


def embed(network, tokenizer, texts):
    """Returns the texts' unit vectors [texts, hidden] on the CPU."""
    tokenizer.enable_truncation(POSITIONS)
    rows, device = [e.ids for e in tokenizer.encode_batch(texts)], network.word_bias.device
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    vectors = torch.zeros(len(rows), network.shape.hidden)
    for at in range(0, len(order), 64):
        ids, mask = (t.to(device) for t in pad_rows([rows[i] for i in order[at:at + 64]]))
        with torch.inference_mode():
            vectors[order[at:at + 64]] = pooled(network(ids, mask), mask).cpu()
    return F.normalize(vectors, dim=1)


def sts_spearman(network, tokenizer, sts, part):
    scores, first, second = read_sts(sts, part)
    return spearman((embed(network, tokenizer, first) * embed(network, tokenizer, second)).sum(1).numpy(), scores)


def word_baselines(sts, part):
    """Returns Spearman's correlation for the cosine of word counts, and for the cosine of tf-idf with the document
    frequencies of the same file."""
    scores, first, second = read_sts(sts, part)
    bags = [Counter(re.findall(r"\w+", t.lower())) for t in first + second]
    documents = Counter(w for bag in bags for w in bag)

    def cosine(a, b, weight):
        dot = sum(a[w] * b[w] * weight(w) ** 2 for w in a)
        norms = [sum((n * weight(w)) ** 2 for w, n in bag.items()) for bag in (a, b)]
        return dot / math.sqrt(norms[0] * norms[1]) if all(norms) else 0.0
    pairs = list(zip(bags, bags[len(first):]))
    return [spearman([cosine(a, b, weight) for a, b in pairs], scores)
            for weight in (lambda w: 1.0, lambda w: math.log(len(bags) / documents[w]))]


def held_out_passages(wordnet, tokenizer):
    """Returns the passages of the blocks of WordNet that no training uses."""
    return Passages(*passage_texts(read_wordnet(wordnet)[0], held_out=True), tokenizer)


def held_out_figures(network, passages, batches=240):
    """Returns how many masked tokens are right, how many are among the first five, and how many there are; how many
    pairs are right, and how many there are; the most frequent token and its share. 15 % of the tokens are masked. The
    inputs are the same in every call."""
    rng, counts, wanted_counts = random.Random(1), Counter(), Counter()
    for _ in range(batches):
        ids, mask, segments, chosen, wanted, labels = passages.batch(rng, 1024, network.shape.vocab, 0.15)
        with torch.inference_mode():
            hidden = network(ids, mask, segments)
            words = network.word_logits(hidden.flatten(0, 1)[chosen])
            pairs = network.pair_logits(hidden)
        counts.update(right=(words.argmax(1) == wanted).sum().item(),
                      five=(words.topk(5).indices == wanted[:, None]).sum().item(), tokens=len(wanted),
                      pairs_right=(pairs.argmax(1) == labels).sum().item(), pairs=len(labels))
        wanted_counts.update(wanted.tolist())
    counts["token"], counts["token_count"] = wanted_counts.most_common(1)[0]
    return counts


def everyday_answers(network, tokenizer, count=5):
    """Returns [(masked sentence, accepted answers, the model's first `count` words)]."""
    result = []
    for masked, accepted in everyday_sentences():
        ids = tokenizer.encode(masked).ids
        with torch.inference_mode():
            hidden = network(torch.tensor([ids]))
            logits = network.word_logits(hidden[0, [ids.index(MASK)]])[0]
        result.append((masked, accepted, [tokenizer.id_to_token(i) for i in logits.topk(count).indices.tolist()]))
    return result


def next_sentence_right(network, tokenizer):
    """Returns the number of right answers and the number of pairs of next_sentence.tsv."""
    lines = (Path(__file__).parent / "next_sentence.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    right = 0
    for first, second, follows in rows:
        encoded = tokenizer.encode(first, second)
        with torch.inference_mode():
            hidden = network(torch.tensor([encoded.ids]), None, torch.tensor([encoded.type_ids]))
            right += network.pair_logits(hidden)[0].argmax().item() == (follows == "no")
    return right, len(rows)


def frequent_words(count=3000):
    """Returns the most frequent English words of letters a to z, from PyPI's wordfreq, or None if it is missing."""
    try:
        from wordfreq import top_n_list
    except ImportError:
        return None
    return [w for w in top_n_list("en", 3 * count) if re.fullmatch("[a-z]+", w)][:count]


def evaluate(folder, wordnet, sts):
    """Prints every figure of docs/BUILTIN_MODEL.md, from the files in `folder`."""
    network, tokenizer = load_model(folder).eval(), load_tokenizer(folder)
    files = [p for p in folder.rglob("*") if p.is_file()]

    def show(what, value, more=""):
        print(f"{what:52}{value:>12}{more}")
    show("parameters", f"{sum(p.numel() for p in network.parameters()):,}")
    show("bytes, model.safetensors / whole directory", f"{(folder / 'model.safetensors').stat().st_size:,}",
         f" / {sum(p.stat().st_size for p in files):,}")
    held = held_out_figures(network, held_out_passages(wordnet, tokenizer))
    show("held-out masked tokens: right / in the first five", f"{held['right'] / held['tokens']:.3f}",
         f" / {held['five'] / held['tokens']:.3f}   of {held['tokens']}")
    show("  always the most frequent token", f"{held['token_count'] / held['tokens']:.3f}",
         f"   ({tokenizer.id_to_token(held['token'])!r})")
    show("held-out sentence pairs: right (chance 0.5)", f"{held['pairs_right'] / held['pairs']:.3f}",
         f"   of {held['pairs']}")
    for part in ("dev", "test") if sts else ():
        counts, idf = word_baselines(sts, part)
        show(f"STS benchmark {part}, Spearman", f"{sts_spearman(network, tokenizer, sts, part):.4f}")
        show("  cosine of word counts / of tf-idf", f"{counts:.4f}", f" / {idf:.4f}")
    answers = everyday_answers(network, tokenizer)
    show("everyday masked sentences: one of the first five", sum(bool({*a} & {*w}) for _, a, w in answers),
         f"   of {len(answers)}")
    for masked, accepted, words in answers:
        print(f"  {'+' if {*accepted} & {*words} else '-'} {masked:46} {' '.join(words)}")
    right, pairs = next_sentence_right(network, tokenizer)
    show("next-sentence pairs: right", right, f"   of {pairs}")
    words = frequent_words()
    if words:
        split = [w for w in words if len(tokenizer.encode(w, add_special_tokens=False).ids) != 1]
        show("frequent words that are one token", len(words) - len(split),
             f"   of {len(words)}; not: {' '.join(split) or 'none'}")
    else:
        print("frequent words that are one token: not counted, needs: pip install wordfreq")
