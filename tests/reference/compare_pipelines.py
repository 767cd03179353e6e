#!/usr/bin/env python3
"""Compares the commands for heads (TASKS) with the reference's pipelines on the newer families.

For developers. Needs torch, transformers and sentence-transformers, which the tests do not need.

    python3 tests/reference/compare_pipelines.py --count 20 --program build/bert-infer

Each case has a family and a task: a model of random sizes and settings, a tokenizer.json learned from random texts in
several scripts, and texts or pairs of texts. It passes if every label, word, id, sequence and span equals the
reference's, and the scores differ by at most 1e-4.
"""

import argparse
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from sentence_transformers import CrossEncoder
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from random_models import FAMILIES, randomize
from tag_strides import random_text, same

TEXTS = 6
BERT, XLM_R = ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"], ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
# For each family: the kind of its tokenizer, its special tokens, and the tokenizer class that its files name.
KINDS = {
    "modernbert": ("BPE", BERT, "PreTrainedTokenizerFast"), "nomic_bert": ("WordPiece", BERT, "BertTokenizer"),
    "gte": ("Unigram", XLM_R, "XLMRobertaTokenizer"), "jina_embeddings_v3": ("Unigram", XLM_R, "XLMRobertaTokenizer"),
    "deberta-v2": ("Unigram", BERT, "DebertaV2Tokenizer"), "eurobert": ("BPE", XLM_R, "PreTrainedTokenizerFast"),
    "ultrabert": ("BPE", XLM_R, "PreTrainedTokenizerFast"),
}
TASKS = {"fill-mask": "ForMaskedLM", "classify": "ForSequenceClassification", "tag": "ForTokenClassification",
         "zero-shot": "ForSequenceClassification", "rerank": "ForSequenceClassification"}


def untrained(kind: str, special: list[str], size: int) -> tuple[Tokenizer, trainers.Trainer]:
    """Returns a tokenizer of this kind without a vocabulary, and the trainer that learns one."""
    usual = {"vocab_size": size, "special_tokens": special, "show_progress": False}
    if kind == "BPE":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        return tokenizer, trainers.BpeTrainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **usual)
    if kind == "WordPiece":
        tokenizer = Tokenizer(models.WordPiece(unk_token=special[3]))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        return tokenizer, trainers.WordPieceTrainer(**usual)
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer, trainers.UnigramTrainer(unk_token=special[3], **usual)


def write_tokenizer(directory: Path, name: str, draw: random.Random) -> int:
    """Writes tokenizer.json and tokenizer_config.json of the family's kind. Returns the size of the vocabulary."""
    kind, special, class_name = KINDS[name]
    tokenizer, trainer = untrained(kind, special, draw.randint(300, 420))
    tokenizer.train_from_iterator([random_text(draw) for _ in range(60)], trainer)
    start, end = special[0], special[2]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}", pair=f"{start} $A {end} $B:1 {end}:1", special_tokens=[(start, 0), (end, 2)])
    names = dict(zip(("cls_token", "pad_token", "sep_token", "unk_token", "mask_token"), special))
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=draw.choice([24, 512]),
                                         **names).save_pretrained(directory)
    path = directory / "tokenizer_config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | {"tokenizer_class": class_name}
    path.write_text(json.dumps(config), encoding="utf-8")
    return tokenizer.get_vocab_size()


def write_model(directory: Path, name: str, task: str, draw: random.Random) -> None:
    """Writes a model with the task's head, whose outputs depend strongly on the tokens."""
    settings = FAMILIES[name].settings(draw) | {"vocab_size": write_tokenizer(directory, name, draw)}
    settings["max_position_embeddings"] = 700  # at least the tokenizer's limit, which the pipelines use
    if name == "nomic_bert":
        settings["type_vocab_size"] = 2  # the tokenizer gives two types
    inference = draw.sample(["contradiction", "neutral", draw.choice(["entailment", "ENTAILMENT"])], 3)
    labels = {"rerank": ["SCORE"], "zero-shot": inference,
              "tag": ["O", "B-A", "I-A", "B-B", "I-B"]}.get(task, ["no", "yes", "LABEL_2"])
    config = getattr(transformers, FAMILIES[name].prefix + "Config")(**settings)
    if task != "fill-mask":
        config.id2label = dict(enumerate(labels))
        config.label2id = {label: i for i, label in enumerate(labels)}
    if task == "classify":
        config.problem_type = draw.choice([None, "multi_label_classification", "regression"])
    if task == "rerank" and draw.random() < 0.5:
        config.sentence_transformers = {"activation_fn": "torch.nn.modules.linear.Identity"}
    torch.manual_seed(draw.randrange(1 << 30))
    model = getattr(transformers, FAMILIES[name].prefix + TASKS[task])(config).eval()
    randomize(model, torch.float32)
    model.save_pretrained(directory)


def near(a: float, b: float) -> bool:
    """Returns whether two scores agree."""
    return abs(a - b) <= 1e-4 * max(1, abs(b))


def run(program: str, task: str, directory: Path, options: list[str], lines: list[dict]) -> list[dict] | str:
    """Returns a result for each line, or the error."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run([program, task, "--model", directory, *options, "--input", "-", "--jsonl", "--format",
                           "jsonl"], input=text.encode(), capture_output=True, check=False)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return results if done.returncode == 0 else done.stderr.decode().strip().splitlines()[-1]


def fill_mask(program: str, directory: Path, texts: list[str], draw: random.Random) -> str:
    """Compares texts with one or two masks each."""
    pipeline = transformers.pipeline("fill-mask", model=str(directory), tokenizer_kwargs={"truncation": True})
    mask = pipeline.tokenizer.mask_token
    texts = [mask.join([text[:at], text[at:]]) for text, at in ((one[:30], draw.randrange(10)) for one in texts)]
    texts[0] += " " + mask
    results = run(program, "fill-mask", directory, [], [{"text": text} for text in texts])
    if isinstance(results, str):
        return results
    for text, result in zip(texts, results):
        expected = pipeline(text)
        expected = expected if isinstance(expected[0], list) else [expected]
        for ours, theirs in zip(result["masks"], expected, strict=True):
            for one, other in zip(ours, theirs, strict=True):
                if one["score"] < 1e-37 and other["score"] < 1e-37:
                    break  # the reference's last probabilities are zeros in any order
                if (one["id"], one["sequence"]) != (other["token"], other["sequence"]) \
                        or not near(one["score"], other["score"]):
                    return f"{text!r}:\n  {one}\n  expected {other}"
    return ""


def classify(program: str, directory: Path, texts: list[str], draw: random.Random) -> str:
    """Compares texts and pairs of texts."""
    pipeline = transformers.pipeline("text-classification", model=str(directory), top_k=None, truncation=True)
    pairs = [{"text": text} if draw.random() < 0.5 else {"text": text, "pair": draw.choice(texts)} for text in texts]
    results = run(program, "classify", directory, ["--truncation", "longest_first"], pairs)
    if isinstance(results, str):
        return results
    for pair, result in zip(pairs, results):
        expected = pipeline({"text": pair["text"], **({"text_pair": pair["pair"]} if "pair" in pair else {})})
        ours = {label["label"]: label["score"] for label in result["labels"]}
        if len(ours) != len(expected) or not all(near(ours[one["label"]], one["score"]) for one in expected):
            return f"{pair}:\n  {ours}\n  expected {expected}"
    return ""


def zero_shot(program: str, directory: Path, texts: list[str], draw: random.Random) -> str:
    """Compares labels that are words of the texts."""
    pipeline = transformers.pipeline("zero-shot-classification", model=str(directory))
    words = {word.replace(",", "")[:3] for text in texts for word in text.split()[:2]}
    labels = sorted(words - {""})[:draw.randint(1, 5)]
    template, multi_label = draw.choice(["This example is {}.", "{}", "a {} b"]), draw.random() < 0.5
    longest = max(len(pipeline.tokenizer(template.format(label)).input_ids) for label in labels)
    if longest + 2 >= pipeline.tokenizer.model_max_length:
        return ""  # without room for the text the program reports an error, but the pipeline cuts nothing
    options = [word for label in labels for word in ("--label", label)] + ["--template", template]
    results = run(program, "zero-shot", directory, options + ["--multi-label"] * multi_label,
                  [{"text": text} for text in texts])
    if isinstance(results, str):
        return results
    for text, result in zip(texts, results):
        expected = pipeline(text, labels, hypothesis_template=template, multi_label=multi_label)
        theirs = dict(zip(expected["labels"], expected["scores"]))
        ours = {label["label"]: label["score"] for label in result["labels"]}
        if ours.keys() != theirs.keys() or not all(near(ours[label], theirs[label]) for label in theirs):
            return f"{options} {text!r}:\n  {ours}\n  expected {theirs}"
    return ""


def tag(program: str, directory: Path, texts: list[str], draw: random.Random) -> str:
    """Compares entities of texts in windows or cut."""
    aggregation = draw.choice(["simple", "first", "average", "max"])
    stride = draw.choice([None, 1, 8])
    pipeline = transformers.pipeline("token-classification", model=str(directory), aggregation_strategy=aggregation,
                                     **({"stride": stride} if stride else {}))
    options = ["--aggregation", aggregation, *(["--stride", str(stride)] if stride else [])]
    results = run(program, "tag", directory, options, [{"text": text} for text in texts])
    if isinstance(results, str):
        return results
    for text, result in zip(texts, results):
        expected = pipeline(text)
        if len(expected) != len(result["entities"]) or not all(
                same(one, other, text) for one, other in zip(result["entities"], expected)):
            return f"{options} {text!r}:\n  {result['entities']}\n  expected {expected}"
    return ""


def rerank(program: str, directory: Path, texts: list[str], _: random.Random) -> str:
    """Compares the scores of the texts. The first text is the query."""
    query, documents = texts[0][:40], texts[1:]
    scores = CrossEncoder(str(directory), device="cpu").predict([(query, text) for text in documents])
    done = subprocess.run([program, "rerank", "--model", directory, "--format", "json", "--", query, *documents],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    results = json.loads(done.stdout)["results"]
    ours = {one["index"]: one["score"] for one in results}
    if len(ours) == len(scores) and all(near(ours[i], float(score)) for i, score in enumerate(scores)):
        return ""
    return f"{query!r}, {documents}:\n  {ours}\n  expected {scores.tolist()}"


CHECKS = {"fill-mask": fill_mask, "classify": classify, "zero-shot": zero_shot, "tag": tag, "rerank": rerank}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", help="of " + ", ".join(KINDS) + "; default: all")
    parser.add_argument("--count", type=int, default=10, help="models of each family and task")
    parser.add_argument("--task", choices=list(CHECKS), action="append", help="may be repeated; default: all")
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--program", default="build/bert-infer")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    cases = failed = 0
    for name in options.families or KINDS:
        for seed in range(options.seed, options.seed + options.count):
            for task, check in CHECKS.items():
                if options.task and task not in options.task:
                    continue
                draw = random.Random(f"{seed} {task}")
                with tempfile.TemporaryDirectory() as folder:
                    write_model(Path(folder), name, task, draw)
                    texts = [random_text(draw) for _ in range(TEXTS)]
                    different = check(options.program, Path(folder), texts, draw)
                cases += 1
                failed += bool(different)
                if different:
                    print(f"{name}, {task}, seed {seed}: {different}", flush=True)
    print(f"{cases} cases of {TEXTS} texts: {cases - failed} agree, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
