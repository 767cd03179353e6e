#!/usr/bin/env python3
"""Compares the program with gliner2 on tiny random models of each form: entities, offsets, classes and scores.

    python compare_gliner2.py PROGRAM DATA WORK [FORM …]

DATA is a folder with the .tokenizer.json of all-MiniLM-L6-v2, roberta-base and t5-small, WORK a folder for the models.
Needs gliner2 2.1.0. The texts have Chinese, emoji, addresses and up to 400 words. There are 1 to 30 labels, flat and
nested entities, and one or several classes.
"""

import contextlib
import logging
import pathlib
import random
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from reference import gliner2_models, label_texts  # noqa: E402

WORDS = [*label_texts.WORDS, *"https://a.example/b?c=d WWW.EXAMPLE.COM @ada_1 [E] <s> STRASSE ΟΔΟΣ İstanbul".split(" ")]
LABELS = [*label_texts.LABELS, "Famous Person", "ÄÖ"]
TASK = "category"  # the task of the program's classes


@contextlib.contextmanager
def float64():
    """Makes the reference compute in float64 throughout. Without it, it narrows some values to float32 whatever its
    weights are."""
    narrow = torch.Tensor.float
    torch.Tensor.float = lambda self: self if self.dtype == torch.float64 else (
        self.double() if self.dtype == torch.int64 else narrow(self))
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.Tensor.float = narrow
        torch.set_default_dtype(torch.float32)


def entities_of(model, text: str, labels: list[str], threshold: float, nested: bool) -> dict[tuple, float]:
    """Returns the reference's entities in the program's form. The reference adds a full stop to the text, which is left
    out here."""
    result = model.extract_entities(text, labels, threshold=threshold, include_confidence=True, include_spans=True,
                                    overlap_policy="nested" if nested else None)["entities"]
    found = {}
    for label, entities in result.items():
        for entity in entities:  # the best entity comes first
            end = min(entity["end"], len(text))
            if entity["start"] < end:
                key = (entity["start"], end, label, text[entity["start"]:end])
                found.setdefault(key, entity["confidence"])
    return found


def classes_of(model, text: str, labels: list[str], several: bool) -> dict[str, float]:
    """Returns all labels with their scores."""
    activation = "sigmoid" if several else "softmax"
    task = {"labels": labels, "multi_label": True, "cls_threshold": 0.0, "class_act": activation}
    result = model.classify_text(text, {TASK: task}, include_confidence=True)[TASK]
    return {item["label"]: item["confidence"] for item in result}


class Comparison:
    """The counts and errors of one form."""

    def __init__(self) -> None:
        self.found = self.different = self.nearly = 0
        self.worst = self.worst_own = 0.0

    def add(self, ours: dict, theirs: dict, best: dict, what) -> None:
        """Adds a comparison. best: the reference's result in float64."""
        self.found += len(theirs)
        if ours.keys() != theirs.keys():
            if ours.keys() == best.keys():
                self.nearly += 1
                return
            self.different += 1
            print(what, sorted(set(ours) ^ set(theirs))[:4], flush=True)
        elif theirs.keys() == best.keys():
            self.worst = max([self.worst, *(abs(ours[key] - best[key]) for key in best)])
            self.worst_own = max([self.worst_own, *(abs(theirs[key] - best[key]) for key in best)])

    def __str__(self) -> str:
        return (f"{self.found} found; {self.different} texts differ, {self.nearly} are as in float64 only; error "
                f"{self.worst:.1e}, the reference's {self.worst_own:.1e}")


def compare(program: str, form: str, directory: pathlib.Path, count: int) -> None:
    """Compares entities and classes, for `count` texts each."""
    model, exact = gliner2_models.load(directory), gliner2_models.load(directory).double()
    draw = random.Random(form)
    entities, classes = Comparison(), Comparison()
    for _ in range(count // 20):
        texts = [label_texts.text_of(draw, WORDS) for _ in range(20)]
        labels = draw.sample(LABELS, draw.choice([1, 2, 5, 10, 30]))
        threshold = draw.choice([0.5, 0.8, 0.95] if len(labels) > 2 else [0.1, 0.3, 0.7])
        nested, several = draw.random() < 0.4, draw.random() < 0.5
        options = ["--threshold", str(threshold)] + (["--nested"] if nested else [])
        # The reference gets one text at a time, because padding changes its float32 results.
        for text, line in zip(texts, label_texts.program_lines(program, "tag", directory, texts, labels, options)):
            ours = {(e["code_point_start"], e["code_point_end"], e["entity"], e["word"]): e["score"]
                    for e in line["entities"]}
            starts = [e["start"] for e in line["entities"]]
            assert starts == sorted(starts), "not in the text's order"
            theirs = entities_of(model, text, labels, threshold, nested)
            with float64():
                best = entities_of(exact, text, labels, threshold, nested)
            entities.add(ours, theirs, best, (form, text[:80], labels[:3], options))
        options = ["--multi-label"] if several else []
        for text, line in zip(texts, label_texts.program_lines(program, "classify", directory, texts, labels, options)):
            ours = {item["label"]: item["score"] for item in line["labels"]}
            theirs = classes_of(model, text, labels, several)
            with float64():
                best = classes_of(exact, text, labels, several)
            classes.add(ours, theirs, best, (form, text[:80], labels[:3], options))
    print(f"{form}: {count} texts; entities: {entities}; classes: {classes}", flush=True)


def main() -> None:
    program, data, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    logging.getLogger("gliner2").setLevel(logging.ERROR)  # it warns of words without tokens
    for form in sys.argv[4:] or gliner2_models.FORMS:
        if not (work / form / "config.json").exists():
            gliner2_models.make(form, work / form, data)
        compare(program, form, work / form, 200)


if __name__ == "__main__":
    main()
