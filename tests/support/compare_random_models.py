#!/usr/bin/env python3
"""Checks random models of DeBERTa against transformers, by the tests of its family.

For developers, where torch and transformers are installed; the tests need none of them.

    python3 tests/support/compare_random_models.py --count 18 --seed 0 --tests build/tests/models_test

Each seed makes three models of random sizes, settings, heads and element types, in the form of the shared data, with
outputs in float64. Then DebertaV2Family's tests run on them: the error of each output is at most twice the reference's
own in float32, and the bits are equal in any batch and on every instruction set.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import transformers

FOLDERS = ("deberta-v2", "deberta-v2-own-keys", "deberta-v2-sequence")
CLASSES = ("Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering",
           "ForMultipleChoice")


def random_settings(draw: random.Random, model_class: str) -> dict:
    """A configuration that the reference accepts."""
    heads = draw.choice((1, 2, 3, 5))
    settings = {
        "vocab_size": draw.randint(60, 150), "hidden_size": heads * draw.choice((4, 7, 12, 16, 17, 33)),
        "num_attention_heads": heads, "num_hidden_layers": draw.randint(1, 3),
        "intermediate_size": draw.randint(10, 90), "relative_attention": True,
        "position_buckets": draw.choice((-1, 4, 16, 24, 256)),
        "max_position_embeddings": draw.choice((600, 700)), "max_relative_positions": draw.choice((-1, -1, 200, 300)),
        "norm_rel_ebd": draw.choice(("layer_norm", "none")), "share_att_key": draw.random() < 0.5,
        "pos_att_type": draw.choice((["c2p"], ["p2c"], ["p2c", "c2p"], "c2p|p2c")),
        "position_biased_input": draw.random() < 0.3, "type_vocab_size": draw.choice((0, 2)),
        "legacy": draw.random() < 0.5, "num_labels": 2 if model_class == "ForQuestionAnswering" else 3,
    }
    return settings if model_class != "Model" else {k: v for k, v in settings.items() if k != "num_labels"}


def randomize(model: torch.nn.Module) -> None:
    """Weights for which every part of the model counts."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith("LayerNorm.weight"):
                weight.copy_(1 + 0.2 * torch.randn_like(weight))
            elif weight.dim() == 1:
                weight.copy_(0.2 * torch.randn_like(weight))
            else:
                scale = 1.0 if "embeddings" in name else 0.5 / weight.shape[-1] ** 0.5
                weight.copy_(scale * torch.randn_like(weight))


def random_cases(draw: random.Random, vocabulary: int, types: int) -> list[dict]:
    """Texts of one token to hundreds, and one with masked tokens inside and at the end."""
    lengths = [1, 2, 7, 17, 64, 130, draw.randint(260, 600)]
    masks = [[1] * length for length in lengths] + [[1] * 20 + [0] * 5 + [1] * 30 + [0] * 15]
    cases, offset = [], 0
    for mask in masks:
        cases.append({
            "id": f"case-{len(cases)}", "batch": None, "attention_mask": mask, "rows": sum(mask), "row_offset": offset,
            "input_ids": [draw.randrange(vocabulary) for _ in mask],
            "token_type_ids": [draw.randrange(types) for _ in mask] if types else None,
        })
        offset += sum(mask)
    return cases


def outputs_of(model: torch.nn.Module, model_class: str, case: dict) -> dict[str, np.ndarray]:
    """The last hidden state and the head's outputs, of the tokens that are not masked."""
    keys = ("input_ids", "attention_mask", "token_type_ids")
    inputs = {key: torch.tensor([case[key]]) for key in keys if case[key] is not None}
    if model_class == "ForMultipleChoice":
        inputs = {key: value[None] for key, value in inputs.items()}
    with torch.no_grad():
        result = model(**inputs, output_hidden_states=True)
    kept = torch.tensor(case["attention_mask"]).bool()
    outputs = {"last_hidden_state": result.hidden_states[-1][0][kept]}
    if model_class == "ForQuestionAnswering":
        outputs |= {name: result[name][0][kept] for name in ("start_logits", "end_logits")}
    elif model_class == "ForMaskedLM":
        outputs["prediction_logits"] = result.logits[0][kept]
    elif model_class == "ForTokenClassification":
        outputs["logits"] = result.logits[0][kept]
    elif model_class != "Model":
        outputs["logits"] = result.logits
    return {name: values.double().numpy() for name, values in outputs.items()}


def write_model(folder: Path, draw: random.Random, seed: int) -> str:
    """A model with golden.json beside it; says what it is."""
    model_class, dtype = draw.choice(CLASSES), draw.choice(("float32", "float32", "float16", "bfloat16"))
    settings = random_settings(draw, model_class)
    torch.manual_seed(seed)
    model = getattr(transformers, "DebertaV2" + model_class)(transformers.DebertaV2Config(**settings)).eval()
    randomize(model)
    model.to(getattr(torch, dtype)).save_pretrained(folder)
    cases = random_cases(draw, settings["vocab_size"], settings["type_vocab_size"])
    single = [outputs_of(model.float(), model_class, case) for case in cases]
    double = [outputs_of(model.double(), model_class, case) for case in cases]
    outputs = {}
    for name in double[0]:
        np.save(folder / f"{name}.npy", np.concatenate([one[name] for one in double]))
        error = max(float(np.abs(a[name] - b[name]).max()) for a, b in zip(single, double))
        outputs[name] = {"file": f"{name}.npy", "float32_error": {"eager": error}}
    golden = {"model_class": "DebertaV2" + model_class, "cases": cases, "outputs": outputs}
    (folder / "golden.json").write_text(json.dumps(golden), encoding="utf-8")
    return f"{model_class} {dtype} {settings}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=6, help="seeds, of three models each")
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--tests", type=Path, default=Path("build/tests/models_test"))
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    failed = 0
    for seed in range(options.seed, options.seed + options.count):
        draw = random.Random(seed)
        with tempfile.TemporaryDirectory() as root:
            made = [write_model(Path(root) / "family_modern" / name, draw, seed) for name in FOLDERS]
            tests = [options.tests, "--gtest_filter=DebertaV2Family.IsWithin*:DebertaV2Family.HasTheSame*"]
            run = subprocess.run(tests, env={**os.environ, "BERT_TEST_DATA": root}, capture_output=True, text=True,
                                 check=False)
        ratios = [line for line in run.stdout.splitlines() if line.endswith("of the limit")]
        print(f"seed {seed}:", "; ".join(ratios) if run.returncode == 0 else "FAILED", flush=True)
        if run.returncode != 0:
            failed += 1
            print("\n".join(made), run.stdout, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
