"""Describes a tensor of a checkpoint (type, shape, place in a file), reads it in pieces, and converts number types.

numpy has no type for BF16, so its values are kept as 16 bits in uint16.
"""

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from . import crc32c
from .errors import ConvertError, quoted
from .source_file import SourceFile

PIECE_BYTES = 1024 * 1024
MAX_RANK = 8

# The numpy type of each safetensors type of a checkpoint.
NUMPY_TYPES = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("u1"),
}
FLOAT_TYPES = ("F64", "F32", "F16", "BF16")


@dataclasses.dataclass(frozen=True)
class Tensor:
    """The place of one tensor. offset_bytes is the place of element 0 in file. strides count elements; None is
    row-major order.

    Every element lies inside the file; whoever makes a Tensor checks this. masked_crc32c covers the bytes in file
    order.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    file: SourceFile
    offset_bytes: int
    strides: tuple[int, ...] | None = None
    masked_crc32c: int | None = None

    @property
    def size_bytes(self) -> int:
        """Returns how many bytes the tensor's elements take."""
        return math.prod(self.shape) * NUMPY_TYPES[self.dtype].itemsize

    def where(self) -> str:
        """Returns the tensor's name for errors."""
        return f"tensor {quoted(self.name)} in {quoted(self.file.path)}"

    def pieces(self) -> Iterator[np.ndarray]:
        """Yield the elements in row-major order as flat arrays of at most PIECE_BYTES.

        A row-major tensor is read in pieces. Another is gathered in memory, which takes at most twice its size. A wrong
        checksum raises ConvertError after the last piece.
        """
        if self.strides is not None and self.size_bytes:
            yield from self._gathered()
            return
        numpy_type = NUMPY_TYPES[self.dtype]
        crc = 0
        for start in range(0, self.size_bytes, PIECE_BYTES):
            data = self.file.read(self.offset_bytes + start, min(PIECE_BYTES, self.size_bytes - start))
            if self.masked_crc32c is not None:
                crc = crc32c.extend(crc, data)
            yield np.frombuffer(data, dtype=numpy_type)
        self._check(crc)

    def _gathered(self) -> Iterator[np.ndarray]:
        numpy_type = NUMPY_TYPES[self.dtype]
        # The stride of a dimension of size 1 is never used and may be any number, so it is set to 0.
        strides = [s if n > 1 else 0 for n, s in zip(self.shape, self.strides or ())]
        last = sum((n - 1) * s for n, s in zip(self.shape, strides))
        data = self.file.read(self.offset_bytes, (last + 1) * numpy_type.itemsize)
        if self.masked_crc32c is not None:
            self._check(crc32c.extend(0, data))
        stored = np.frombuffer(data, dtype=numpy_type)
        strides_bytes = [s * numpy_type.itemsize for s in strides]
        view = np.lib.stride_tricks.as_strided(stored, shape=self.shape, strides=strides_bytes, writeable=False)
        flat = np.array(view, order="C").reshape(-1)
        del view, stored, data
        step = PIECE_BYTES // numpy_type.itemsize
        for start in range(0, len(flat), step):
            yield flat[start : start + step]

    def _check(self, crc: int) -> None:
        if self.masked_crc32c is not None and crc32c.masked(crc) != self.masked_crc32c:
            raise ConvertError(f"{self.where()}: checksum {crc32c.masked(crc):08x}, expected {self.masked_crc32c:08x}")


def row_major_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides, in elements, of a tensor without gaps in row-major order."""
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def is_row_major(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Tell whether the strides mean row-major order. Those of dimensions of size 1 do not matter."""
    return all(n == 1 or s == r for n, s, r in zip(shape, strides, row_major_strides(shape)))


def same_bits(first: Tensor, second: Tensor) -> bool:
    """Tell whether two tensors have the same type, shape and bytes. NaNs are compared by their bits."""
    if (first.dtype, first.shape) != (second.dtype, second.shape):
        return False
    if (first.file, first.offset_bytes, first.strides) == (second.file, second.offset_bytes, second.strides):
        return True
    return all(a.tobytes() == b.tobytes() for a, b in zip(first.pieces(), second.pieces()))


def count_nonfinite(values: np.ndarray, dtype: str) -> int:
    """Return how many values are NaN or infinite."""
    if dtype == "BF16":
        return int(np.count_nonzero((values & np.uint16(0x7F80)) == np.uint16(0x7F80)))
    return int(np.count_nonzero(~np.isfinite(values)))


def convert(values: np.ndarray, source: str, target: str) -> np.ndarray:
    """Return values in another of FLOAT_TYPES, rounded to nearest even. A value that is too large becomes infinite. NaN
    stays NaN."""
    if source == target:
        return values
    with np.errstate(all="ignore"):
        if source == "BF16":
            values = (values.astype(np.uint32) << np.uint32(16)).view(np.float32)
        if target != "BF16":
            return values.astype(NUMPY_TYPES[target], copy=False)
        return _bf16_bits(_odd_f32(values) if source == "F64" else values.astype(np.float32, copy=False))


def _odd_f32(values: np.ndarray) -> np.ndarray:
    """Return F64 values in F32, rounded to odd: truncated, with the last bit set if anything was lost. Rounding the
    result again gives the same number as rounding the F64 value."""
    nearest = values.astype(np.float32)
    back = nearest.astype(np.float64)
    bits = nearest.view(np.uint32) - (np.abs(back) > np.abs(values))
    return (bits | (back != values)).astype(np.uint32).view(np.float32)


def _bf16_bits(values: np.ndarray) -> np.ndarray:
    bits = values.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    # Rounding could make a NaN infinite or, by a carry, zero. So a NaN is truncated, and made quiet to keep a bit.
    not_a_number = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    return np.where(not_a_number, (bits >> np.uint32(16)) | np.uint32(0x40), rounded).astype(np.uint16)
