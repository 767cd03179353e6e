"""Operations on vectors, as sentence-transformers defines them: quantisation and similarity."""

from typing import TYPE_CHECKING, Any, get_args

from . import _engine
from .errors import InvalidArgumentError, notify
from .types import VectorPrecision

if TYPE_CHECKING:
    from .types import Vectors

PRECISIONS = get_args(VectorPrecision)
FEW = 100  # vectors, for ranges that many later ones would have too


def check_precision(precision: str) -> None:
    if precision not in PRECISIONS:
        raise InvalidArgumentError(f"precision {precision!r}, expected one of {', '.join(PRECISIONS)}")


def quantize(vectors: "Vectors", precision: VectorPrecision, ranges: Any = None) -> "Vectors":
    """Vectors of fewer bits.

    vectors: float32 [texts, size]. int8, uint8: each dimension's range, [2, size] with its least and greatest value, is
    divided into 256 steps; without `ranges` it is that of these vectors. binary, ubinary: a bit for each dimension,
    1 where it is positive, eight to a byte: [texts, size / 8 rounded up], as int8 (the byte minus 128) or uint8.
    """
    import numpy as np

    check_precision(precision)
    if precision == "float32":
        return vectors
    rows = np.ascontiguousarray(np.atleast_2d(vectors), dtype=np.float32)
    if precision in ("int8", "uint8"):
        if ranges is None or len(vectors) == 0:
            if len(vectors) == 0:
                return vectors.astype(precision)
            if vectors.ndim == 1 or len(vectors) == 1:
                raise InvalidArgumentError(f"{precision} of one vector, expected several, whose ranges can be computed")
            if len(vectors) < FEW:
                notify(f"the ranges of {precision} are those of few vectors", vectors=len(vectors))
            ranges = _engine.ranges_of(rows)
        ranges = np.ascontiguousarray(ranges, dtype=np.float32)
    quantized = _engine.quantize(rows, precision, ranges if precision in ("int8", "uint8") else None)
    numbers = quantized if precision.startswith("u") else quantized.view(np.int8)
    return numbers[0] if vectors.ndim == 1 else numbers


def similarity(function: str, a: "Vectors", b: "Vectors") -> "Vectors":
    """The similarity of each vector of a with each of b, [a, b] in float32; more is more similar.

    function: "cosine", "dot", "euclidean" or "manhattan"; the distances are negative. a, b: [vectors, size] or [size].
    The same bits on every CPU.
    """
    a, b = rows_of("a", a), rows_of("b", b)
    if a.shape[1] != b.shape[1]:
        raise InvalidArgumentError(f"vectors of shapes {a.shape} and {b.shape}, expected equal sizes")
    return _engine.similarity(function, a, b)


def similarity_pairwise(function: str, a: "Vectors", b: "Vectors") -> "Vectors":
    """The similarity of each vector of a with the vector of b in the same place: [vectors]."""
    a, b = rows_of("a", a), rows_of("b", b)
    if a.shape != b.shape:
        raise InvalidArgumentError(f"vectors of shapes {a.shape} and {b.shape}, expected equal ones")
    return _engine.similarity_pairwise(function, a, b)


def rows_of(name: str, vectors: Any) -> "Vectors":
    """An argument that is a vector or several, as [vectors, size] in float32."""
    import numpy as np

    try:
        rows = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError):
        rows = None
    if rows is None or rows.ndim not in (1, 2):
        found = type(vectors).__name__ if rows is None or not rows.ndim else f"an array of shape {rows.shape}"
        raise InvalidArgumentError(f"{name}: found {found}, expected numbers [vectors, size] or [size]")
    return np.ascontiguousarray(np.atleast_2d(rows))
