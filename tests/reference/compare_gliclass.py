#!/usr/bin/env python3
"""Compares the program with gliclass on tiny random models of each form: the scores of all labels.

    python compare_gliclass.py PROGRAM DATA WORK [FORM …]

DATA is a folder with all-MiniLM-L6-v2.tokenizer.json and roberta-base.tokenizer.json, WORK a folder for the models.
Needs gliclass 0.1.21. The texts have Chinese, emoji and up to 400 words. There are 1 to 30 labels.
"""

import pathlib
import random
import sys

import torch
from gliclass import GLiClassModel, ZeroShotClassificationPipeline
from transformers import AutoTokenizer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from reference import gliclass_models  # noqa: E402
from reference.label_texts import LABELS, program_lines, text_of  # noqa: E402

# Labels of one token each, for bi-encoders. In the reference, their pooling includes the padding of shorter labels.
ONE_TOKEN = ["person", "city", "date", "company", "birth", "london", "letter", "art", "music", "war"]


def pipeline(directory: pathlib.Path, dtype: torch.dtype, limit: int) -> ZeroShotClassificationPipeline:
    """Returns the reference's pipeline. It gets one text at a time, because its pooling would include the padding of a
    batch."""
    model = GLiClassModel.from_pretrained(directory).to(dtype)
    return ZeroShotClassificationPipeline(model, AutoTokenizer.from_pretrained(directory), max_length=limit,
                                          device="cpu", progress_bar=False)


def scores_of(reference, text: str, labels: list[str], several: bool) -> dict[str, float]:
    """Returns the scores of all labels."""
    kind = "multi-label" if several else "single-label"
    return reference(text, labels, batch_size=1, classification_type=kind, return_hierarchical=True)[0]


def float64_scores(exact, text: str, labels: list[str], several: bool) -> dict[str, float]:
    """Returns the scores of a model in float64. The pipeline is not used, because it would narrow the logits to
    float32."""
    inner = exact.pipe
    logits = inner.model(**inner.prepare_inputs([text], labels, True), max_num_classes=len(labels)).logits[0]
    scores = torch.sigmoid(logits) if several else torch.softmax(logits, dim=-1)
    return dict(zip(labels, scores[:len(labels)].tolist()))


def ours(program: str, model: pathlib.Path, texts: list[str], labels: list[str], several: bool) -> list[dict]:
    """Returns the program's scores of each text."""
    results = program_lines(program, "classify", model, texts, labels, ["--multi-label"] if several else [])
    return [{one["label"]: one["score"] for one in result["labels"]} for result in results]


def main() -> None:
    program, data, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    count = 200
    for form in sys.argv[4:] or gliclass_models.FORMS:
        directory = work / form
        if not (directory / "config.json").exists():
            gliclass_models.make(form, directory, data)
        settings = gliclass_models.FORMS[form]
        padded = "bi" in settings and settings.get("pooling_strategy", "first") != "first"
        limit = 512 if settings["encoder"] in {"bert", "roberta"} else 1024
        reference, exact = (pipeline(directory, dtype, limit) for dtype in (torch.float32, torch.float64))
        draw = random.Random(form)
        worst = worst_own = 0.0
        spread, done, scores, skipped = 0.0, 0, 0, 0
        while done < count:
            texts = [text_of(draw) for _ in range(min(20, count - done))]
            pool = ONE_TOKEN if padded else LABELS
            labels = draw.sample(pool, min(len(pool), draw.choice([1, 2, 5, 10, 30])))
            several = draw.random() < 0.5
            # Texts that the reference may truncate are used only if the labels come first, so that the labels stay
            # whole.
            sizes = [len(reference.pipe.tokenizer("".join(labels) + text).input_ids) for text in texts]
            texts = [text for text, size in zip(texts, sizes) if settings.get("prompt_first") or size < limit - 100]
            skipped += len(sizes) - len(texts)
            with torch.no_grad():
                theirs = [scores_of(reference, text, labels, several) for text in texts]
                best = [float64_scores(exact, text, labels, several) for text in texts]
            for text, mine, own, float64 in zip(texts, ours(program, directory, texts, labels, several), theirs, best):
                assert list(mine) == sorted(mine, key=mine.get, reverse=True), "not best first"
                assert mine.keys() == own.keys(), text[:80]
                worst = max([worst, *(abs(mine[label] - float64[label]) for label in labels)])
                worst_own = max([worst_own, *(abs(own[label] - float64[label]) for label in labels)])
                spread = max([spread, *(abs(float64[label] - float64[labels[0]]) for label in labels)])
                scores += len(labels)
            done += len(sizes)
        print(f"{form}: {count - skipped} texts, {scores} scores up to {spread:.2f} apart; error {worst:.1e}, the "
              f"reference's {worst_own:.1e}", flush=True)


if __name__ == "__main__":
    main()
