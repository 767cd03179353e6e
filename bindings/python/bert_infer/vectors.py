"""Operations on vectors, as in sentence-transformers: quantisation and similarity."""

from typing import TYPE_CHECKING, Any, get_args

from . import _engine
from .errors import InvalidArgumentError, check_choice, check_text, notify
from .types import VectorPrecision

if TYPE_CHECKING:
    from .types import Vectors

PRECISIONS = get_args(VectorPrecision)
FEW = 100  # fewer vectors than this are too few to choose ranges from
SHAPES = "numbers [vectors, size] or [size]"
NUMBER_KINDS = "biufVO"  # kinds of numpy's types; V is bfloat16 of the package ml_dtypes, O is fractions


def quantize(vectors: "Vectors", precision: VectorPrecision, ranges: Any = None) -> "Vectors":
    """Returns vectors with fewer bits per number.

    vectors: float32 [texts, size]. precision: int8, uint8: the range of each dimension is divided into 256 steps;
    `ranges` is [2, size], the least and the greatest values, by default those of these vectors. binary, ubinary: one
    bit for each dimension, 1 if the number is positive; eight bits make a byte, so the result is [texts, size / 8
    rounded up], as int8 (the byte minus 128) or uint8.
    """
    import numpy as np

    check_choice("precision", precision, PRECISIONS)
    rows = rows_of("vectors", vectors)
    if precision == "float32":
        return vectors
    is_one = np.ndim(vectors) == 1
    if precision in ("int8", "uint8"):
        if len(rows) == 0:
            return rows.astype(precision)
        if ranges is None:
            if len(rows) == 1:
                raise InvalidArgumentError(f"{precision} of one vector, expected several, whose ranges can be computed")
            if len(rows) < FEW:
                notify(f"the ranges of {precision} are those of few vectors", vectors=len(rows))
            ranges = _engine.ranges_of(rows)
        ranges = rows_of("ranges", ranges)
        if ranges.shape != (2, rows.shape[1]):
            raise InvalidArgumentError(f"ranges of shape {ranges.shape}, expected {(2, rows.shape[1])}")
    quantized = _engine.quantize(rows, precision, ranges if precision in ("int8", "uint8") else None)
    numbers = quantized if precision.startswith("u") else quantized.view(np.int8)
    return numbers[0] if is_one else numbers


def similarity(function: str, a: "Vectors", b: "Vectors") -> "Vectors":
    """Returns the similarity of each vector of a with each vector of b, [a, b] in float32; larger is more similar.

    function: "cosine", "dot", "euclidean" or "manhattan"; the last two are negative distances. a, b: [vectors, size] or
    [size]. The bits are the same on every CPU.
    """
    check_text("the similarity", function)
    a, b = rows_of("a", a), rows_of("b", b)
    if a.shape[1] != b.shape[1]:
        raise InvalidArgumentError(f"vectors of shapes {a.shape} and {b.shape}, expected equal sizes")
    return _engine.similarity(function, a, b)


def similarity_pairwise(function: str, a: "Vectors", b: "Vectors") -> "Vectors":
    """Returns the similarity of each vector of a with the vector at the same place in b: [vectors]."""
    a, b = rows_of("a", a), rows_of("b", b)
    if a.shape != b.shape:
        raise InvalidArgumentError(f"vectors of shapes {a.shape} and {b.shape}, expected equal ones")
    return _engine.similarity_pairwise(function, a, b)


def rows_of(name: str, vectors: Any) -> "Vectors":
    """Returns one vector or several as [vectors, size] in float32; an empty list has no vectors. Raises an error for
    anything else."""
    import numpy as np

    rows = numbers_of(name, vectors)
    if rows.shape == (0,):
        rows = rows.reshape(0, 0)
    if rows.ndim not in (1, 2):
        found = f"an array of shape {rows.shape}" if rows.ndim else type(vectors).__name__
        raise InvalidArgumentError(f"{name}: found {found}, expected {SHAPES}")
    return np.ascontiguousarray(np.atleast_2d(rows))


def plain(result: Any) -> Any:
    """Returns a result with Python lists and numbers instead of arrays, for json and for web frameworks."""
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    if isinstance(result, (list, tuple)):
        return [plain(value) for value in result]
    return result.tolist() if hasattr(result, "tolist") else result


def numbers_of(name: str, values: Any) -> "Vectors":
    """Returns numbers of any shape as a float32 array. Raises an error for anything else."""
    import numpy as np

    try:
        array = np.asarray(values)
        numbers = np.asarray(array, dtype=np.float32) if array.dtype.kind in NUMBER_KINDS else None
    except (TypeError, ValueError, RuntimeError):  # a tensor with a gradient raises RuntimeError
        numbers = None
    if numbers is None or (array.dtype.kind == "O" and any(item is None for item in array.flat)):
        of = f" of {values.dtype}" if isinstance(values, np.ndarray) and values.dtype.kind != "O" else ""
        raise InvalidArgumentError(f"{name}: found {type(values).__name__}{of}, expected {SHAPES}")
    return numbers
