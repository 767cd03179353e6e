"""Writes a plan as one safetensors file, tensor by tensor, and reads it back to verify it."""

import dataclasses
import hashlib
from collections.abc import Callable
from typing import BinaryIO

from .errors import ConvertError, quoted
from .names import Mapped
from .output_directory import OutputDirectory
from .safetensors_file import Entry, header_of, layout_order, read_safetensors
from .source_file import SourceFile
from .tensor import convert, count_nonfinite


@dataclasses.dataclass(frozen=True)
class Written:
    """A tensor as it was written. sha256 is the digest of its bytes. nonfinite counts values that were NaN or infinite
    in the source. overflowed counts finite values that became infinite in the narrower type."""

    entry: Entry
    source: Mapped
    sha256: bytes
    nonfinite: int
    overflowed: int


def target_type(source: str, wanted: str) -> str:
    """Return the type that a tensor of the type `source` is written in. wanted is keep, f32, f16 or bf16. With keep,
    F64 becomes F32, the widest type in which the engine computes."""
    if wanted == "keep":
        return "F32" if source == "F64" else source
    return wanted.upper()


def write_weights(
    output: OutputDirectory, file: BinaryIO, mapped: list[Mapped], wanted: str, on_bytes: Callable[[int], None]
) -> list[Written]:
    """Write a whole safetensors file. on_bytes is called with the number of bytes that each step has written."""
    planned = [(Entry(item.name, target_type(item.tensor.dtype, wanted), item.tensor.shape), item) for item in mapped]
    planned.sort(key=lambda pair: layout_order(pair[0]))
    output.write(file, header_of([entry for entry, _ in planned]))
    return [_write_tensor(output, file, entry, item, on_bytes) for entry, item in planned]


def _write_tensor(
    output: OutputDirectory, file: BinaryIO, entry: Entry, item: Mapped, on_bytes: Callable[[int], None]
) -> Written:
    digest = hashlib.sha256()
    nonfinite = overflowed = 0
    for piece in item.tensor.pieces():
        before = count_nonfinite(piece, item.tensor.dtype)
        converted = convert(piece, item.tensor.dtype, entry.dtype)
        nonfinite += before
        if entry.dtype != item.tensor.dtype:
            overflowed += count_nonfinite(converted, entry.dtype) - before
        data = converted.data
        output.write(file, data)
        digest.update(data)
        on_bytes(converted.nbytes)
    return Written(entry, item, digest.digest(), nonfinite, overflowed)


def check_values(written: list[Written]) -> None:
    """Raise ConvertError if a value is or became NaN or infinite. The message says how many, and where."""
    for count, words in (
        (lambda w: w.nonfinite, "values that are NaN or infinite"),
        (lambda w: w.overflowed, "values too large for"),
    ):
        bad = [item for item in written if count(item)]
        if bad:
            first = bad[0]
            words += f" {first.entry.dtype}" if words.endswith("for") else ""
            others = f", and {len(bad) - 1} more tensors have such" if len(bad) > 1 else ""
            raise ConvertError(
                f"{first.source.tensor.where()}: {count(first)} {words}{others} (--allow-nonfinite converts them)"
            )


def verify(path: str, written: list[Written], on_bytes: Callable[[int], None]) -> None:
    """Read the file at path back by the strict reader, and compare every tensor with the plan."""
    file = SourceFile(path)
    try:
        tensors = read_safetensors(file)
        entries = [Entry(tensor.name, tensor.dtype, tensor.shape) for tensor in tensors]
        if entries != [item.entry for item in written]:
            raise ConvertError(f"{quoted(path)} does not hold the tensors that were written to it")
        for tensor, item in zip(tensors, written):
            digest = hashlib.sha256()
            for piece in tensor.pieces():
                digest.update(piece.data)
                on_bytes(piece.nbytes)
            if digest.digest() != item.sha256:
                raise ConvertError(f"{tensor.where()}: what is read back differs from what was written")
    finally:
        file.close()
