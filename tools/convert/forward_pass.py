"""BERT's forward pass in numpy for golden.py, written from the formulas. It computes in float64, and also in float32 to
measure the error of single precision. Weights are read in pieces, so that only some rows of one matrix are in memory.

Every list of two arrays is [float64, float32]. The rows of all sequences are concatenated without padding.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .errors import quoted
from .tensor import PIECE_BYTES, Tensor, convert

PRECISIONS = (np.float64, np.float32)
MAX_SIZE = 2**31 - 1


class NoForwardPass(Exception):
    """This forward pass does not support the model; the message says why."""


def _erf(x: np.ndarray) -> np.ndarray:
    return np.fromiter(map(math.erf, x.ravel()), np.float64, x.size).reshape(x.shape).astype(x.dtype)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _gelu(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + _erf(x / math.sqrt(2)))


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def _gelu_fast(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + np.tanh(0.7978845608 * x * (1 + 0.044715 * x * x)))


def _silu(x: np.ndarray) -> np.ndarray:
    return x * _sigmoid(x)


# The activations by the names of the reference (transformers 4.57, activations.py), without those that have weights.
ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "gelu": _gelu,
    "gelu_10": lambda x: np.clip(_gelu(x), -10, 10),
    "gelu_accurate": _gelu_tanh,
    "gelu_fast": _gelu_fast,
    "gelu_new": _gelu_tanh,
    "gelu_python": _gelu,
    "gelu_python_tanh": _gelu_tanh,
    "gelu_pytorch_tanh": _gelu_tanh,
    "laplace": lambda x: (1 + _erf((x - 0.707107) / (0.282095 * math.sqrt(2)))) / 2,
    "leaky_relu": lambda x: np.where(x > 0, x, x * x.dtype.type(0.01)),
    "linear": lambda x: x,
    "mish": lambda x: x * np.tanh(np.logaddexp(x, x.dtype.type(0))),
    "quick_gelu": lambda x: x * _sigmoid(1.702 * x),
    "relu": lambda x: np.maximum(x, 0),
    "relu2": lambda x: np.square(np.maximum(x, 0)),
    "relu6": lambda x: np.clip(x, 0, 6),
    "sigmoid": _sigmoid,
    "silu": _silu,
    "swish": _silu,
    "tanh": np.tanh,
}


@dataclasses.dataclass(frozen=True)
class Architecture:
    """The fields of config.json that this forward pass uses."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    intermediate: int
    positions: int
    segments: int
    activation: str
    epsilon: float
    position_type: str
    positions_at: str


def architecture_of(config: dict[str, Any]) -> Architecture:
    """Read the architecture from config.json. Raises NoForwardPass for a model that is not BERT or has unsupported
    parts."""
    model_type, classes = config.get("model_type"), config.get("architectures")
    # Configurations from before 2020 have no model_type.
    first = classes[0] if isinstance(classes, list) and classes else "Bert"
    if not (model_type == "bert" or (model_type is None and isinstance(first, str) and first.startswith("Bert"))):
        raise NoForwardPass(f"they are computed for BERT, and this is {quoted(model_type or first)}")

    def integer(name: str, default: int) -> int:
        value = config.get(name, default)
        if type(value) is not int or not 1 <= value <= MAX_SIZE:
            raise NoForwardPass(f"config.json: {name} is {quoted(value)}, expected an integer from 1 to {MAX_SIZE}")
        return value

    shape = Architecture(
        vocabulary=integer("vocab_size", 30522),
        hidden=integer("hidden_size", 768),
        layers=integer("num_hidden_layers", 12),
        heads=integer("num_attention_heads", 12),
        intermediate=integer("intermediate_size", 3072),
        positions=integer("max_position_embeddings", 512),
        segments=integer("type_vocab_size", 2),
        activation=config.get("hidden_act", "gelu"),
        epsilon=config.get("layer_norm_eps", 1e-12),
        position_type=config.get("position_embedding_type", "absolute"),
        positions_at=config.get("position_embeddings_at", "input"),
    )
    if shape.hidden % shape.heads:
        raise NoForwardPass(f"config.json: hidden_size {shape.hidden} is no multiple of {shape.heads} heads")
    if not isinstance(shape.activation, str) or shape.activation not in ACTIVATIONS:
        raise NoForwardPass(f"config.json: hidden_act {quoted(shape.activation)} is not computed here")
    if type(shape.epsilon) not in (int, float) or not 0 <= shape.epsilon < 1:
        raise NoForwardPass(f"config.json: layer_norm_eps is {quoted(shape.epsilon)}, expected a small number")
    if shape.position_type not in ("absolute", "relative_key", "relative_key_query"):
        raise NoForwardPass(f"config.json: position_embedding_type {quoted(shape.position_type)} is not computed here")
    if shape.positions_at not in ("input", "every-layer"):
        raise NoForwardPass(f"config.json: position_embeddings_at {quoted(shape.positions_at)} is not computed here")
    return shape


class Weights:
    """Finds the tensors of a weights file by BERT's names, with any prefix. Calls on_bytes with the bytes it reads."""

    def __init__(self, tensors: list[Tensor], on_bytes: Callable[[int], None]) -> None:
        """tensors must have row-major order, as in a safetensors file."""
        anchor = "embeddings.word_embeddings.weight"
        prefixes = [t.name.removesuffix(anchor) for t in tensors if t.name in (anchor, "bert." + anchor)]
        if len(prefixes) != 1:
            raise NoForwardPass(f"the weights have {len(prefixes)} tensors {quoted(anchor)}, expected one")
        self._tensors = {t.name.removeprefix(prefixes[0]): t for t in tensors if t.name.startswith(prefixes[0])}
        self._on_bytes = on_bytes

    def has(self, name: str) -> bool:
        """Tell whether there is a tensor of this name."""
        return name in self._tensors

    def _checked(self, name: str, shape: tuple[int, ...]) -> Tensor:
        tensor = self._tensors.get(name)
        if tensor is None:
            raise NoForwardPass(f"the weights have no tensor {quoted(name)}")
        if tensor.shape != shape:
            raise NoForwardPass(f"{quoted(name)} has the shape {list(tensor.shape)}, config.json says {list(shape)}")
        return tensor

    def _read(self, tensor: Tensor, start: int, stop: int, width: int) -> np.ndarray:
        """Return rows of `width` values in float32, which is exact for every type that the converter writes."""
        item_bytes = tensor.size_bytes // max(math.prod(tensor.shape), 1)
        data = tensor.file.read(tensor.offset_bytes + start * width * item_bytes, (stop - start) * width * item_bytes)
        self._on_bytes(len(data))
        values = np.frombuffer(data, {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}[tensor.dtype])
        return convert(values, tensor.dtype, "F32").reshape(stop - start, width)

    def vector(self, name: str, size: int) -> list[np.ndarray]:
        """Return a bias, or a vector of LayerNorm."""
        values = self._read(self._checked(name, (size,)), 0, 1, size)[0]
        return [values.astype(precision) for precision in PRECISIONS]

    def rows(self, name: str, count: int, width: int, wanted: np.ndarray) -> list[np.ndarray]:
        """Return the wanted rows of a table of `count` rows. Reads no other rows."""
        tensor = self._checked(name, (count, width))
        distinct, places = np.unique(wanted, return_inverse=True)
        values = np.concatenate([self._read(tensor, int(row), int(row) + 1, width) for row in distinct])[places]
        return [values.astype(precision) for precision in PRECISIONS]

    def linear(self, name: str, outputs: int, inputs: list[np.ndarray]) -> list[np.ndarray]:
        """Return x · weightᵀ + bias for each input. Reads some rows of the weight at a time."""
        width = inputs[0].shape[1]
        tensor = self._checked(name + ".weight", (outputs, width))
        results = [np.empty((len(x), outputs), x.dtype) for x in inputs]
        step = max(1, PIECE_BYTES // (8 * width))
        for start in range(0, outputs, step):
            stop = min(start + step, outputs)
            weight = self._read(tensor, start, stop, width)
            for x, result in zip(inputs, results):
                result[:, start:stop] = x @ weight.astype(x.dtype).T
        for result, bias in zip(results, self.vector(name + ".bias", outputs)):
            result += bias
        return results

    def layer_norm(self, name: str, epsilon: float, inputs: list[np.ndarray]) -> list[np.ndarray]:
        """Return LayerNorm of each row."""
        width = inputs[0].shape[1]
        results = []
        for x, weight, bias in zip(
            inputs, self.vector(name + ".weight", width), self.vector(name + ".bias", width)
        ):
            centred = x - x.mean(axis=1, keepdims=True)
            variance = np.square(centred).mean(axis=1, keepdims=True)
            results.append(centred / np.sqrt(variance + x.dtype.type(epsilon)) * weight + bias)
        return results


@dataclasses.dataclass(frozen=True)
class Sequence:
    """The encoder's input."""

    ids: list[int]
    type_ids: list[int]


def hidden_states(weights: Weights, model: Architecture, sequences: list[Sequence]) -> Iterator[list[np.ndarray]]:
    """Yield the output of the embeddings and then of every layer, [rows of all sequences, hidden]."""
    ids = np.array([i for sequence in sequences for i in sequence.ids])
    segments = np.array([i for sequence in sequences for i in sequence.type_ids])
    places = np.concatenate([np.arange(len(sequence.ids)) for sequence in sequences])
    tables = [("word", model.vocabulary, ids), ("token_type", model.segments, segments)]
    if model.position_type == "absolute":
        tables.append(("position", model.positions, places))
    parts = [
        weights.rows(f"embeddings.{name}_embeddings.weight", count, model.hidden, wanted)
        for name, count, wanted in tables
    ]
    x = [sum(part[1:], part[0]) for part in zip(*parts)]
    x = weights.layer_norm("embeddings.LayerNorm", model.epsilon, x)
    yield x
    ends = np.cumsum([len(sequence.ids) for sequence in sequences])
    spans = [slice(end - len(sequence.ids), end) for end, sequence in zip(ends, sequences)]
    again = model.position_type == "absolute" and model.positions_at == "every-layer"
    for layer in range(model.layers):
        if again and layer > 0:
            x = [hidden + part[-1] for hidden, part in zip(x, zip(*parts))]
        x = _layer(weights, model, f"encoder.layer.{layer}.", spans, x)
        yield x


def _layer(
    weights: Weights, model: Architecture, name: str, spans: list[slice], x: list[np.ndarray]
) -> list[np.ndarray]:
    query, key, value = (
        weights.linear(f"{name}attention.self.{part}", model.hidden, x) for part in ("query", "key", "value")
    )
    distances = _distances(weights, model, name, max(span.stop - span.start for span in spans))
    mixed = [np.empty_like(rows) for rows in x]
    width = model.hidden // model.heads
    for p, result in enumerate(mixed):
        for span in spans:
            for head in range(model.heads):
                columns = slice(head * width, (head + 1) * width)
                q, k, v = query[p][span, columns], key[p][span, columns], value[p][span, columns]
                scores = q @ k.T
                if distances is not None:
                    # The row of the distance query - key, counted from the most negative distance.
                    middle = len(distances[p]) // 2
                    places = np.arange(len(q))
                    table = distances[p][middle + places[:, None] - places[None, :]]
                    scores += np.einsum("id,ijd->ij", q, table)
                    if model.position_type == "relative_key_query":
                        scores += np.einsum("jd,ijd->ij", k, table)
                scores /= x[p].dtype.type(math.sqrt(width))
                shares = np.exp(scores - scores.max(axis=1, keepdims=True))
                result[span, columns] = shares / shares.sum(axis=1, keepdims=True) @ v
    y = [a + b for a, b in zip(weights.linear(f"{name}attention.output.dense", model.hidden, mixed), x)]
    y = weights.layer_norm(f"{name}attention.output.LayerNorm", model.epsilon, y)
    inner = weights.linear(f"{name}intermediate.dense", model.intermediate, y)
    inner = [ACTIVATIONS[model.activation](rows) for rows in inner]
    z = [a + b for a, b in zip(weights.linear(f"{name}output.dense", model.hidden, inner), y)]
    return weights.layer_norm(f"{name}output.LayerNorm", model.epsilon, z)


def _distances(weights: Weights, model: Architecture, name: str, longest: int) -> list[np.ndarray] | None:
    """Return the vectors of the distances -(longest - 1) … longest - 1 of a layer, or None for absolute positions."""
    if model.position_type == "absolute":
        return None
    wanted = model.positions - 1 + np.arange(-(longest - 1), longest)
    table = f"{name}attention.self.distance_embedding.weight"
    return weights.rows(table, 2 * model.positions - 1, model.hidden // model.heads, wanted)


def pooled(weights: Weights, first_tokens: list[np.ndarray]) -> list[np.ndarray] | None:
    """Return the pooler's output for rows of first tokens, or None if the weights have no pooler."""
    if not weights.has("pooler.dense.weight"):
        return None
    return [np.tanh(x) for x in weights.linear("pooler.dense", first_tokens[0].shape[1], first_tokens)]
