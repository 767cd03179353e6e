"""Computes JinaBERT v2 in torch from its authors' description, because the reference library has no code for it. Has
the methods of the reference's models that random_models.py calls."""

import json
import math
from pathlib import Path
from types import SimpleNamespace

import torch
from safetensors.torch import save_file
from torch.nn import functional


def slopes(heads: int) -> list[float]:
    """Returns ALiBi's slopes for n heads: the powers of 2^(-8/n). If n is not a power of two, returns those for the
    power of two below n, and then every second slope for twice that power."""
    below = 2 ** int(math.log2(heads))
    first = [2 ** (-8 * (i + 1) / below) for i in range(below)]
    return first + [2 ** (-4 * (i + 1) / below) for i in range(0, 2 * (heads - below), 2)]


class JinaBert:
    """The encoder. Its weights have the names of its files."""

    def __init__(self, settings: dict) -> None:
        self.settings = settings
        width, inner = settings["hidden_size"], settings["intermediate_size"]
        shapes = {"embeddings.word_embeddings.weight": (settings["vocab_size"], width),
                  "embeddings.token_type_embeddings.weight": (settings["type_vocab_size"], width)}
        norms = ["embeddings.LayerNorm"]
        for layer in range(settings["num_hidden_layers"]):
            prefix = f"encoder.layer.{layer}."
            for name in ("self.query", "self.key", "self.value", "output.dense"):
                name = f"{prefix}attention.{name}"
                shapes |= {f"{name}.weight": (width, width), f"{name}.bias": (width,)}
            shapes |= {f"{prefix}mlp.gated_layers.weight": (2 * inner, width), f"{prefix}mlp.wo.weight": (width, inner),
                       f"{prefix}mlp.wo.bias": (width,)}
            norms += [f"{prefix}attention.output.LayerNorm", f"{prefix}mlp.layernorm"]
        for name in norms:
            shapes |= {f"{name}.weight": (width,), f"{name}.bias": (width,)}
        self.weights = {name: torch.zeros(shape) for name, shape in shapes.items()}

    def named_parameters(self) -> list[tuple[str, torch.Tensor]]:
        return list(self.weights.items())

    def to(self, dtype: torch.dtype) -> "JinaBert":
        self.weights = {name: weight.to(dtype) for name, weight in self.weights.items()}
        return self

    def float(self) -> "JinaBert":
        return self.to(torch.float32)

    def double(self) -> "JinaBert":
        return self.to(torch.float64)

    def save_pretrained(self, folder: Path, **_options: object) -> None:
        save_file(self.weights, folder / "model.safetensors")
        (folder / "config.json").write_text(json.dumps(self.settings), encoding="utf-8")

    def dense(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias"))

    def norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return functional.layer_norm(x, weight.shape, weight, bias, self.settings["layer_norm_eps"])

    def attention(self, prefix: str, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """x: [tokens, hidden]; bias: [heads, tokens, tokens]."""
        heads, tokens = self.settings["num_attention_heads"], len(x)
        query, key, value = (self.dense(f"{prefix}attention.self.{name}", x).view(tokens, heads, -1).transpose(0, 1)
                             for name in ("query", "key", "value"))
        scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[2]) + bias
        context = (scores.softmax(-1) @ value).transpose(0, 1).reshape(tokens, -1)
        return self.dense(f"{prefix}attention.output.dense", context)

    def base_model(self, input_ids: torch.Tensor, attention_mask: torch.Tensor,
                   token_type_ids: torch.Tensor) -> SimpleNamespace:
        """Returns the last hidden state of one text."""
        words, types = (self.weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "token_type"))
        x = self.norm("embeddings.LayerNorm", words[input_ids[0]] + types[token_type_ids[0]])
        places = torch.arange(len(x))
        distances = (places[:, None] - places[None, :]).abs()
        bias = -torch.tensor(slopes(self.settings["num_attention_heads"]), dtype=x.dtype)[:, None, None] * distances
        bias = bias.masked_fill(attention_mask[0] == 0, -torch.inf)
        for layer in range(self.settings["num_hidden_layers"]):
            prefix = f"encoder.layer.{layer}."
            x = self.norm(f"{prefix}attention.output.LayerNorm", x + self.attention(prefix, x, bias))
            activated, gate = self.dense(f"{prefix}mlp.gated_layers", x).chunk(2, -1)
            output = self.dense(f"{prefix}mlp.wo", functional.gelu(activated) * gate)
            x = self.norm(f"{prefix}mlp.layernorm", x + output)
        return SimpleNamespace(last_hidden_state=x[None])
