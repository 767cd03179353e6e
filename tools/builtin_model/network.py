"""BERT for pre-training in plain torch, with four kinds of positions; reads and writes its directory.

`learned` vectors are added once, before the first layer (BERT). Fixed `sines` are added once (Vaswani et al. 2017).
With `every-layer`, learned vectors are added again before every layer. With `none` there are no positions. A checkpoint
of BERT has one table of positions, so the files hold the sines in that table, and zeros for `none`. For `every-layer`
config.json has "position_embeddings_at": "every-layer", which only bert-infer knows.
"""

import json
import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .vocabulary import PAD

EPS = 1e-12
POSITION_KINDS = ("learned", "sines", "every-layer", "none")
# The names of a layer's parts here, and in the checkpoint.
LAYER_NAMES = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
               "attended": "attention.output.dense", "attended_norm": "attention.output.LayerNorm",
               "wide": "intermediate.dense", "narrow": "output.dense", "narrow_norm": "output.LayerNorm"}
OTHER_NAMES = {"words": "bert.embeddings.word_embeddings", "positions": "bert.embeddings.position_embeddings",
               "segments": "bert.embeddings.token_type_embeddings", "norm": "bert.embeddings.LayerNorm",
               "pooler": "bert.pooler.dense", "transform": "cls.predictions.transform.dense",
               "transform_norm": "cls.predictions.transform.LayerNorm", "pairs": "cls.seq_relationship"}


@dataclass
class Shape:
    vocab: int = 8000
    hidden: int = 160
    layers: int = 12
    heads: int = 5
    intermediate: int = 320
    positions: int = 128
    position_kind: str = "learned"


def sines(positions, hidden):
    """Returns [positions, hidden] with sin and cos in turn, of wavelengths from 2 pi to 10,000 * 2 pi."""
    angles = torch.arange(positions)[:, None] * torch.exp(torch.arange(0, hidden, 2) * (-math.log(10000) / hidden))
    return torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1)


class Layer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.heads, hidden = shape.heads, shape.hidden
        self.query, self.key, self.value, self.attended = (nn.Linear(hidden, hidden) for _ in range(4))
        self.wide, self.narrow = nn.Linear(hidden, shape.intermediate), nn.Linear(shape.intermediate, hidden)
        self.attended_norm, self.narrow_norm = nn.LayerNorm(hidden, EPS), nn.LayerNorm(hidden, EPS)

    def forward(self, x, mask):
        """x is [rows, tokens, hidden]. mask is None or [rows, 1, 1, tokens], true where there is a token."""
        def split(linear):
            return linear(x).unflatten(2, (self.heads, -1)).transpose(1, 2)
        context = F.scaled_dot_product_attention(split(self.query), split(self.key), split(self.value), mask)
        x = self.attended_norm(x + self.attended(context.transpose(1, 2).flatten(2)))
        return self.narrow_norm(x + self.narrow(F.gelu(self.wide(x))))


class Network(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape, hidden = shape, shape.hidden
        self.words, self.segments = nn.Embedding(shape.vocab, hidden), nn.Embedding(2, hidden)
        self.positions = nn.Embedding(shape.positions, hidden)
        self.norm, self.transform_norm = nn.LayerNorm(hidden, EPS), nn.LayerNorm(hidden, EPS)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.pooler, self.transform = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.pairs, self.word_bias = nn.Linear(hidden, 2), nn.Parameter(torch.zeros(shape.vocab))
        self.initialize(self)
        # The learned table starts with small sines too, so that neighbours are similar from the first step.
        with torch.no_grad():
            self.positions.weight.copy_(0.02 * sines(shape.positions, hidden))
        if shape.position_kind == "none":
            nn.init.zeros_(self.positions.weight)
        self.positions.weight.requires_grad_(shape.position_kind in ("learned", "every-layer"))

    @staticmethod
    def initialize(part):
        for module in part.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)

    def forward(self, ids, mask=None, segments=None):
        """Returns the last hidden state [rows, tokens, hidden]. mask is [rows, tokens], 1 where there is a token."""
        places = self.positions.weight[:ids.shape[1]]
        kind = self.words(ids) + (self.segments.weight[0] if segments is None else self.segments(segments))
        x, again = self.norm(kind + places), self.shape.position_kind == "every-layer"
        mask = None if mask is None else mask[:, None, None, :].bool()
        for number, layer in enumerate(self.layers):
            x = layer(x + places if again and number else x, mask)
        return x

    def word_logits(self, hidden):
        """Computes [tokens, vocab] from [tokens, hidden]. The matrix is the table of word embeddings."""
        return F.linear(self.transform_norm(F.gelu(self.transform(hidden))), self.words.weight, self.word_bias)

    def pair_logits(self, hidden):
        """Computes [rows, 2] (is next, is not next) from [rows, tokens, hidden]."""
        return self.pairs(torch.tanh(self.pooler(hidden[:, 0])))


def pooled(hidden, mask):
    """Returns the mean over the tokens of each row: [rows, tokens, hidden] to [rows, hidden]."""
    weight = mask[..., None].to(hidden.dtype)
    return (hidden * weight).sum(1) / weight.sum(1)


def pad_rows(rows):
    """Returns the lists of ids as padded ids [rows, longest], and their mask."""
    longest = max(map(len, rows))
    ids = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    return ids, (torch.arange(longest)[None, :] < lengths[:, None]).long()


# ------------------------------------------------------------------ the directory

def checkpoint_name(name):
    """Returns the checkpoint's name of a parameter of Network."""
    if name == "word_bias":
        return "cls.predictions.bias"
    *path, leaf = name.split(".")
    if path[0] == "layers":
        return f"bert.encoder.layer.{path[1]}.{LAYER_NAMES[path[2]]}.{leaf}"
    return f"{OTHER_NAMES[path[0]]}.{leaf}"


def save_weights(network, folder):
    """Writes model.safetensors in F16, with each tensor at a multiple of 64 bytes, and without subnormal numbers."""
    header, blobs, at = {"__metadata__": {"format": "pt"}}, [], 0
    state = {checkpoint_name(name): value.detach().cpu() for name, value in network.state_dict().items()}
    for name, value in sorted(state.items(), key=lambda item: (item[1].numel() % 32 != 0, item[0])):
        half = value.half()
        half[half.abs() < torch.finfo(torch.float16).smallest_normal] = 0
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


def save_model(network, folder):
    """Writes the weights and the settings, which is everything but vocab.txt."""
    shape = network.shape

    def write(name, value):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=2) + "\n")
    save_weights(network, folder)
    again = {"position_embeddings_at": "every-layer"} if shape.position_kind == "every-layer" else {}
    write("config.json", {
        "architectures": ["BertForPreTraining"], "model_type": "bert", "dtype": "float16",
        "hidden_size": shape.hidden, "num_hidden_layers": len(network.layers), "num_attention_heads": shape.heads,
        "intermediate_size": shape.intermediate, "hidden_act": "gelu", "vocab_size": shape.vocab,
        "max_position_embeddings": shape.positions, "type_vocab_size": 2, "layer_norm_eps": EPS,
        "position_embedding_type": "absolute", "pad_token_id": PAD, "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0, "initializer_range": 0.02, **again})
    write("tokenizer_config.json", {
        "tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": shape.positions,
        "tokenize_chinese_chars": True, "strip_accents": None, "unk_token": "[UNK]", "sep_token": "[SEP]",
        "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"})
    parts = (("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize"))
    write("modules.json", [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
                           for i, (path, kind) in enumerate(parts)])
    write("sentence_bert_config.json", {"max_seq_length": shape.positions, "do_lower_case": False})
    write("1_Pooling/config.json", {
        "word_embedding_dimension": shape.hidden, "pooling_mode_cls_token": False,
        "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False})


def load_model(folder):
    """Returns a Network with the directory's weights, in float32."""
    config = json.loads((folder / "config.json").read_text())
    shape = Shape(config["vocab_size"], config["hidden_size"], config["num_hidden_layers"],
                  config["num_attention_heads"], config["intermediate_size"], config["max_position_embeddings"],
                  position_kind="every-layer" if config.get("position_embeddings_at") == "every-layer" else "learned")
    data = (folder / "model.safetensors").read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header, network = json.loads(data[8:start]), Network(shape)
    state = {}
    for name in network.state_dict():
        entry = header[checkpoint_name(name)]
        first, last = entry["data_offsets"]
        values = np.frombuffer(data[start + first:start + last], np.float16).reshape(entry["shape"])
        state[name] = torch.from_numpy(values.astype(np.float32))
    network.load_state_dict(state)
    return network

