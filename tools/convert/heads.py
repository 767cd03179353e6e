"""Converts BGE-M3's heads for token and sparse vectors, which are state dictionaries of a torch Linear beside the
checkpoint.

A head becomes a folder of its name in the form of a Dense module of sentence-transformers, which bert-infer reads.
"""

import dataclasses
import json
import os
from collections.abc import Callable

from .checkpoint import open_checkpoint
from .errors import ConvertError, quoted
from .names import Mapped
from .output_directory import OutputDirectory
from .source_file import SourceFile
from .weights_writer import Written, verify, write_weights

HEADS = ("colbert_linear", "sparse_linear")
CONFIG = "config.json"
WEIGHTS = "model.safetensors"


@dataclasses.dataclass(frozen=True)
class Head:
    """A head that was found; its tensors are linear.weight [out, in] and linear.bias [out]."""

    name: str
    file: SourceFile
    mapped: list[Mapped]


def head_file(directory: str, name: str) -> str:
    """Return the path that torch's file of a head has."""
    return os.path.join(directory, name + ".pt")


def open_heads(directory: str, on_bytes: Callable[[int], None]) -> list[Head]:
    """Open the heads of directory. Raises ConvertError for a file that is not the state of a Linear."""
    heads = []
    for name in HEADS:
        path = head_file(directory, name)
        if not os.path.lexists(path):
            continue
        checkpoint = open_checkpoint(path, on_bytes)
        tensors = {tensor.name: tensor for tensor in checkpoint.tensors}
        shapes = {name: list(tensor.shape) for name, tensor in tensors.items()}
        weight = shapes.get("weight", [])
        if set(tensors) != {"weight", "bias"} or len(weight) != 2 or shapes["bias"] != weight[:1]:
            held = ", ".join(f"{quoted(name)} {shape}" for name, shape in sorted(shapes.items())) or "no tensors"
            raise ConvertError(f"{quoted(path)}: {held}, expected 'bias' [out] and 'weight' [out, in] of a Linear")
        mapped = [Mapped("linear." + name, tensors[name], "") for name in ("weight", "bias")]
        heads.append(Head(name, checkpoint.files[0], mapped))
    return heads


def head_outputs(head: Head) -> list[str]:
    """Return the names of the files that write_head writes."""
    return [os.path.join(head.name, CONFIG), os.path.join(head.name, WEIGHTS)]


def write_head(output: OutputDirectory, head: Head, dtype: str, on_bytes: Callable[[int], None]) -> list[Written]:
    """Write a head's folder and read its weights back."""
    width_out, width_in = head.mapped[0].tensor.shape
    config = {
        "in_features": width_in,
        "out_features": width_out,
        "bias": True,
        "activation_function": "torch.nn.modules.linear.Identity",
    }
    config_name, weights_name = head_outputs(head)
    with output.create(config_name) as file:
        output.write(file, json.dumps(config, indent=2).encode("utf-8") + b"\n")
        output.finish(file)
    with output.create(weights_name) as file:
        written = write_weights(output, file, head.mapped, dtype, on_bytes)
        output.finish(file)
    verify(output.partial_path(weights_name), written, on_bytes)
    return written
