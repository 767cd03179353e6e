#!/usr/bin/env python3
"""Compares the program with gliner on tiny random models of each form: entities, offsets and scores.

    python compare_gliner.py PROGRAM DATA WORK [FORM …]

DATA is a folder with all-MiniLM-L6-v2.tokenizer.json and roberta-base.tokenizer.json, WORK a folder for the models.
Needs gliner 0.2.29. The texts have Chinese, emoji and up to 400 words. There are 1 to 30 labels, and flat and nested
entities.
"""

import pathlib
import random
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from reference import gliner_models  # noqa: E402
from reference.label_texts import LABELS, WORDS, program_lines, text_of  # noqa: E402

def threshold_of(model, draw: random.Random, labels: list[str], share: float) -> float:
    """Returns a threshold that this share of the scores of some words do not exceed."""
    text = " ".join(draw.choice(WORDS) for _ in range(30))
    prepared = model.prepare_batch([text], labels)
    batch = model.collate_batch(prepared["input_x"], prepared["entity_types"])
    scores = torch.sigmoid(model.run_batch(batch)[0])
    if model.config.span_mode == "token_level":
        scores = scores.amin(dim=-1)  # the smallest score of beginning, end and inside
    scores = scores.flatten()
    return round(min(max(scores.quantile(share).item(), 0.01), 0.99), 4)


def ours(program: str, model: pathlib.Path, texts: list[str], labels: list[str], options: list[str]) -> list:
    """Returns the program's entities of each text."""
    return [result["entities"] for result in program_lines(program, "tag", model, texts, labels, options)]


def spans(entities: list[dict], ours_: bool) -> dict[tuple, float]:
    """Returns a map from the fields of an entity that must be equal to its score. A map has no order, because the order
    of entities of one word may depend on their scores' last bits."""
    if ours_:
        return {(e["code_point_start"], e["code_point_end"], e["entity"], e["word"]): e["score"] for e in entities}
    return {(e["start"], e["end"], e["label"], e["text"]): e["score"] for e in entities}


def main() -> None:
    program, data, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    count = 200
    for form in sys.argv[4:] or gliner_models.FORMS:
        directory = work / form
        if not (directory / "gliner_config.json").exists():
            gliner_models.make(form, directory, data)
        model, exact = gliner_models.load(directory), gliner_models.load(directory)
        exact.model.double()
        draw = random.Random(form)
        found = different = nearly = 0
        worst = worst_own = 0.0
        done = 0
        while done < count:
            size = min(20, count - done)
            texts = [text_of(draw) for _ in range(size)]
            labels = draw.sample(LABELS, draw.choice([1, 2, 5, 10, 30]))
            threshold = threshold_of(model, draw, labels, draw.choice([0.9, 0.97, 0.99]))
            flat, several = draw.random() < 0.6, draw.random() < 0.3
            options = ["--threshold", str(threshold)] + ([] if flat else ["--nested"])
            options += ["--multi-label"] if several else []
            # The reference gets one text at a time, because padding changes its float32 results.
            settings = {"flat_ner": flat, "threshold": threshold, "multi_label": several}
            with torch.no_grad():
                reference = [model.predict_entities(text, labels, **settings) for text in texts]
                float64 = [exact.predict_entities(text, labels, **settings) for text in texts]
            for text, mine, theirs, best in zip(texts, ours(program, directory, texts, labels, options), reference,
                                                float64):
                found += len(theirs)
                mine_, theirs_, best_ = spans(mine, True), spans(theirs, False), spans(best, False)
                assert [e["start"] for e in mine] == sorted(e["start"] for e in mine), "not in the text's order"
                if mine_.keys() != theirs_.keys():
                    nearly += mine_.keys() == best_.keys()
                    different += mine_.keys() != best_.keys()
                    if mine_.keys() != best_.keys():
                        print(form, repr(text[:80]), labels[:3], options, sorted(set(mine_) ^ set(theirs_))[:4])
                elif theirs_.keys() == best_.keys():
                    worst = max([worst, *(abs(mine_[key] - best_[key]) for key in best_)])
                    worst_own = max([worst_own, *(abs(theirs_[key] - best_[key]) for key in best_)])
            done += size
        print(f"{form}: {count} texts, {found} entities; {different} texts differ, {nearly} are as in float64 only; "
              f"error {worst:.1e}, the reference's {worst_own:.1e}", flush=True)


if __name__ == "__main__":
    main()
