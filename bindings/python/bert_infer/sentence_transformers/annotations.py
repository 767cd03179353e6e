"""Types of the drop-in's arguments and results, for type checkers. Tensor is torch's; without torch, checkers cannot
resolve it."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from ..types import FloatArray

    Floats = NDArray[np.float64] | NDArray[np.float32] | NDArray[np.float16]
    Numbers = Floats | NDArray[np.int8] | NDArray[np.uint8] | NDArray[np.int64]
    ArrayLike = Numbers | Sequence[Numbers] | Sequence[float] | Sequence[Sequence[float]]
    TensorLike = Tensor | Sequence[Tensor]
    Scores = FloatArray | Tensor  # a tensor where torch is loaded
    Outputs = dict[str, Tensor | str | int]
    Embeddings = Numbers | Tensor | list[Tensor] | Outputs | list[Outputs]


class EncodeOptions(TypedDict, total=False):
    """The options of SentenceTransformer.encode that most calls do not need."""

    device: object
    normalize_embeddings: bool
    truncate_dim: int | None
    pool: dict[str, object] | None
    chunk_size: int | None
    task: str | None
    processing_kwargs: dict[str, dict[str, object]] | None
