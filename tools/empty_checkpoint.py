#!/usr/bin/env python3
"""Writes a checkpoint of BERT-base's shape whose weights are all 0, to look at its tensors without a download.

    tools/empty_checkpoint.py DIRECTORY

The file of weights is sparse, so it takes almost no space on the disk. Prints how many tensors and numbers it has.
"""

import json
import sys
from math import prod
from pathlib import Path

CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "vocab_size": 30522,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
}


def shapes(config):
    """Returns {name: shape} in the order of the forward pass."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    result = {
        "embeddings.word_embeddings.weight": [config["vocab_size"], hidden],
        "embeddings.position_embeddings.weight": [config["max_position_embeddings"], hidden],
        "embeddings.token_type_embeddings.weight": [config["type_vocab_size"], hidden],
        "embeddings.LayerNorm.weight": [hidden],
        "embeddings.LayerNorm.bias": [hidden],
    }

    def dense(name, inputs, outputs):
        result[f"{name}.weight"] = [outputs, inputs]
        result[f"{name}.bias"] = [outputs]

    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            dense(f"{name}.attention.{part}", hidden, hidden)
        result[f"{name}.attention.output.LayerNorm.weight"] = [hidden]
        result[f"{name}.attention.output.LayerNorm.bias"] = [hidden]
        dense(f"{name}.intermediate.dense", hidden, inner)
        dense(f"{name}.output.dense", inner, hidden)
        result[f"{name}.output.LayerNorm.weight"] = [hidden]
        result[f"{name}.output.LayerNorm.bias"] = [hidden]
    dense("pooler.dense", hidden, hidden)
    return result


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n")
    header, at = {}, 0
    for name, shape in shapes(CONFIG).items():
        size = 4 * prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + at)
    print(f"{len(header)} tensors, {at // 4:,} numbers")


if __name__ == "__main__":
    main()
