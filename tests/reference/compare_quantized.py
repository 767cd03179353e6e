#!/usr/bin/env python3
"""Compares 8-bit models with transformers and compressed-tensors, on directories of several families and sizes.

For developers. Needs torch, transformers, compressed-tensors and accelerate, which the tests do not need.

    python3 tests/reference/compare_quantized.py build/bert-infer [MODEL...]

Makes a random model of each family, quantises it with the program, and loads the result in both, also with symmetric
activations. A MODEL is a further directory to be quantised. For each model it prints
- how many rows of its linear layers differ, for the reference's input, from the formula of docs/NUMERICS.md by more
  than 1e-5 of the layer's largest output, because an input is rounded the other way; and the largest difference of the
  other rows;
- the mean difference of the last hidden states between program and reference, and between the reference in float32 and
  in float64. Different roundings occur by chance, so either difference can be the larger one.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import transformers

SIZES = {"hidden_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 200,
         "vocab_size": 120, "max_position_embeddings": 80, "pad_token_id": 0}
FAMILIES = {
    "bert": SIZES,
    "bert, 6 x 256": SIZES | {"hidden_size": 256, "num_hidden_layers": 6, "intermediate_size": 1024},
    "roberta": SIZES | {"pad_token_id": 1},
    "xlm-roberta": SIZES | {"pad_token_id": 1, "hidden_size": 120, "num_attention_heads": 5},
    "distilbert": {"dim": 96, "n_layers": 3, "n_heads": 4, "hidden_dim": 200, "vocab_size": 120,
                   "max_position_embeddings": 80},
    "mpnet": SIZES | {"pad_token_id": 1},
    "albert": SIZES | {"embedding_size": 40},
    "electra": SIZES | {"embedding_size": 40},
    "modernbert": SIZES | {"global_attn_every_n_layers": 2, "local_attention": 16, "bos_token_id": 1, "eos_token_id": 2,
                           "cls_token_id": 1, "sep_token_id": 2},
    "deberta-v2": SIZES | {"relative_attention": True, "position_buckets": 16, "share_att_key": True,
                           "norm_rel_ebd": "layer_norm", "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0},
    "qwen3": SIZES | {"num_key_value_heads": 2, "head_dim": 32},
    "gemma3_text": SIZES | {"num_key_value_heads": 2, "head_dim": 32, "query_pre_attn_scalar": 32},
    "eurobert": SIZES | {"num_key_value_heads": 2, "bos_token_id": 1, "eos_token_id": 2, "mask_token_id": 3},
}
LENGTHS = (1, 2, 7, 19, 40, 64)


def write_random_model(family: str, folder: Path) -> None:
    """Writes a random model whose weights are large enough for every part to matter."""
    torch.manual_seed(7)
    config = transformers.AutoConfig.for_model(family.split(",")[0], **FAMILIES[family])
    model = transformers.AutoModel.from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 2:
                weight.copy_(torch.randn_like(weight) * (1 if "embed" in name else 1.5 / weight.shape[1] ** 0.5))
            else:
                weight.add_(0.1 * torch.randn_like(weight))
    model.save_pretrained(folder)


def formula(x: np.ndarray, weight: np.ndarray, scales: np.ndarray, symmetric: bool) -> np.ndarray:
    """Returns the product of docs/NUMERICS.md without the bias, from exact integers and from float32 numbers that each
    operation rounds."""
    one = np.float32
    if symmetric:
        scale = np.abs(x).max(1, keepdims=True) / one(127.5)
        zero = np.zeros_like(scale)
    else:
        least, largest = np.minimum(x.min(1, keepdims=True), 0), np.maximum(x.max(1, keepdims=True), 0)
        scale = (largest - least) / one(255)
        scale[scale == 0] = np.finfo(one).eps
        zero = np.rint(np.clip(-128 - least / scale, -128, 127))
    scale[scale == 0] = np.finfo(one).eps
    q = np.rint(np.clip(x / scale + zero, -128, 127))
    sums = (q.astype(np.int64) - zero.astype(np.int64)) @ weight.astype(np.int64).T
    return sums.astype(one) * scale * scales.reshape(1, -1)


class Layers:
    """Compares the linear layers while the reference runs."""

    def __init__(self, model: torch.nn.Module, symmetric: bool):
        self.symmetric, self.largest, self.rows, self.flipped_rows = symmetric, 0.0, 0, 0
        for module in model.modules():
            if isinstance(module, torch.nn.Linear) and hasattr(module, "weight_scale"):
                module.register_forward_hook(self.compare)

    def compare(self, module: torch.nn.Module, inputs: tuple, output: torch.Tensor) -> None:
        x = inputs[0].detach().reshape(-1, inputs[0].shape[-1]).numpy()
        scales = module.weight_scale.detach().numpy()
        weight = np.rint(module.weight.detach().numpy() / scales)
        found = formula(x, weight, scales, self.symmetric)
        if module.bias is not None:
            found = found + module.bias.detach().numpy()
        expected = output.detach().reshape(found.shape).numpy()
        difference = np.abs(found - expected).max(1) / np.abs(expected).max()
        is_flipped = difference > 1e-5
        self.rows += len(difference)
        self.flipped_rows += int(is_flipped.sum())
        self.largest = max(self.largest, float(difference[~is_flipped].max(initial=0)))


def run_reference(folder: Path, cases: list[list[int]], symmetric: bool) -> tuple[list, list, Layers]:
    """Returns the reference's last hidden states in float32 and in float64."""
    model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    layers = Layers(model, symmetric)
    with torch.no_grad():
        single = [model(torch.tensor([ids])).last_hidden_state[0].numpy() for ids in cases]
        for module in model.modules():
            module._forward_hooks.clear()
        model.double()
        double = [model(torch.tensor([ids])).last_hidden_state[0].numpy() for ids in cases]
    return single, double, layers


def run_program(program: str, folder: Path, cases: list[list[int]]) -> list[np.ndarray]:
    """Returns the program's last hidden states."""
    lines = "".join(json.dumps({"ids": ids}) + "\n" for ids in cases)
    command = [program, "encode", "--model", folder, "--input", "-", "--jsonl", "--format", "jsonl"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return [np.array(json.loads(line)["last_hidden_state"]) for line in done.stdout.splitlines()]


def mean_difference(one: list, other: list) -> float:
    return float(np.mean(np.concatenate([np.abs(a - b).ravel() for a, b in zip(one, other)])))


def compare(program: str, name: str, folder: Path, symmetric: bool) -> bool:
    """Prints one line of the table. Returns False if more than one row in a thousand of a layer differs."""
    config = folder / "config.json"
    settings = json.loads(config.read_text())
    activations = settings["quantization_config"]["config_groups"]["group_0"]["input_activations"]
    activations["symmetric"] = symmetric
    config.write_text(json.dumps(settings))
    draw = np.random.default_rng(3)
    cases = [draw.integers(5, settings["vocab_size"], length).tolist() for length in LENGTHS]
    single, double, layers = run_reference(folder, cases, symmetric)
    ours = mean_difference(run_program(program, folder, cases), single)
    own = mean_difference(single, double)
    print(f"| {name} | {'symmetric' if symmetric else 'asymmetric'} | {layers.rows:,} | {layers.flipped_rows} | "
          f"{layers.largest:.1e} | {ours:.1e} | {own:.1e} |{' <- more' if ours > own + 1e-6 else ''}")
    return layers.rows > 0 and 1000 * layers.flipped_rows <= layers.rows


def main() -> int:
    program = str(Path(sys.argv[1]).resolve())
    print("| model | activations | rows | rows with other roundings | largest difference of the others | "
          "mean difference, end to end | the reference's own |\n|---|---|---|---|---|---|---|")
    kept = True
    with tempfile.TemporaryDirectory() as scratch:
        sources = {name: Path(scratch) / f"{i}" for i, name in enumerate(FAMILIES)}
        for name, folder in sources.items():
            write_random_model(name, folder)
        sources |= {Path(name).name: Path(name).resolve() for name in sys.argv[2:]}
        for name, source in sources.items():
            result = Path(scratch) / f"{name}-int8"
            subprocess.run([program, "quantize", "--model", source, result], check=True, capture_output=True)
            for symmetric in (False, True):
                kept &= compare(program, name, result, symmetric)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
