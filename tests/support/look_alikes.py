"""Makes directories that look like models of the hub: published configuration files with small sizes, random weights
with the names of their class, and tokenizers of the same kind with a few tokens. Uses only the standard library."""

import shutil
from pathlib import Path

from support.look_alike_tokenizers import read_json, special_tokens, write_json, write_tokenizer
from support.look_alike_weights import HEADS, HIDDEN, INTERMEDIATE, LAYERS, model_tensors, write_safetensors

SIZES = {
    "hidden_size": HIDDEN, "dim": HIDDEN, "num_attention_heads": HEADS, "n_heads": HEADS, "num_hidden_layers": LAYERS,
    "n_layers": LAYERS, "intermediate_size": INTERMEDIATE, "hidden_dim": INTERMEDIATE, "embedding_size": HIDDEN,
    "pooler_hidden_size": HIDDEN,
    "d_model": HIDDEN, "num_heads": HEADS, "num_layers": LAYERS, "d_ff": INTERMEDIATE, "d_kv": 6,
    "n_embd": HIDDEN, "n_head": HEADS, "n_layer": LAYERS, "n_inner": INTERMEDIATE,
}
DEFAULT_VOCABULARY = {"bert": 30522, "distilbert": 30522, "roberta": 50265, "camembert": 32005, "xlm-roberta": 250002,
                      "t5": 32128}


def model_type_of(config: dict) -> str:
    """Returns config.json's model type, or that of its class, or "" if it has neither."""
    if config.get("model_type"):
        return config["model_type"]
    return "bert" if str((config.get("architectures") or [""])[0]).startswith("Bert") else ""


def shrink_modules(directory: Path) -> None:
    """Reduces the widths of the modules after the encoder, and writes weights of these sizes."""
    width = HIDDEN
    for number, module in enumerate(read_json(directory / "modules.json") or []):
        kind = module["type"].rsplit(".", 1)[-1]
        path = directory / module["path"] / "config.json"
        config = read_json(path)
        if kind == "Pooling":
            # Some models lack this file, and the reference cannot load them. They are published with a mean.
            config = config or {"word_embedding_dimension": width, "pooling_mode_mean_tokens": True}
            for key in ("word_embedding_dimension", "embedding_dimension"):
                if key in config:
                    config[key] = width
            write_json(path, config)
        elif kind == "Dense":
            config = config or {"in_features": 0, "out_features": 0, "bias": True,
                                "activation_function": "torch.nn.modules.activation.Tanh"}
            config |= {"in_features": width, "out_features": 10}
            write_json(path, config)
            shapes = {"linear.weight": [10, width]} | ({"linear.bias": [10]} if config.get("bias", True) else {})
            write_safetensors(path.with_name("model.safetensors"), shapes, number)
            width = 10


def make_look_alike(published: Path, directory: Path) -> bool:
    """Makes `directory` from the files of a published model. Returns False if `published` has no configuration."""
    shutil.copytree(published, directory, ignore=shutil.ignore_patterns("tokenizer.head.json"))
    modules = read_json(directory / "modules.json") or []
    folder = directory / (modules[0]["path"] if modules else "")
    config = read_json(folder / "config.json")
    if not config:
        return False
    model_type = model_type_of(config) or ("roberta" if "roberta" in published.name else "")
    config.setdefault("vocab_size", DEFAULT_VOCABULARY.get(model_type, 30522))
    config |= {key: size for key, size in SIZES.items() if key in config}
    if "layer_types" in config:
        config["layer_types"] = config["layer_types"][:LAYERS]
    head = read_json(published / "tokenizer.head.json")
    write_json(folder / "config.json", config)
    write_tokenizer(folder, model_type, head)
    config["vocab_size"] = max(config["vocab_size"], largest_id(folder) + 1)
    write_json(folder / "config.json", config)
    is_static = "hidden_size" not in config and not config.get("architectures")
    tensors = {"embeddings": [config["vocab_size"], HIDDEN]} if is_static else model_tensors(config, model_type)
    write_safetensors(folder / "model.safetensors", tensors, seed=1)
    shrink_modules(directory)
    return True


def largest_id(directory: Path) -> int:
    """Returns the largest id of a token, so that the table of words can have a row for every id."""
    ids = [0, *special_tokens(directory).values(), *(read_json(directory / "vocab.json") or {}).values()]
    if (directory / "vocab.txt").exists():
        ids.append((directory / "vocab.txt").read_text(encoding="utf-8").count("\n") - 1)
    for token in (read_json(directory / "tokenizer.json") or {}).get("added_tokens", []):
        ids.append(token["id"])
    return max(ids)
