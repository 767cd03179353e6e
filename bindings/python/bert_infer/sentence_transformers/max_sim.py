"""Late interaction of token vectors: MaxSim and MeanMaxSim as in sentence-transformers 6.

The vectors of one text are [vectors, size]. Several texts are a list of such arrays, or one array [texts, vectors,
size], in which rows of zeros are padding. A document without vectors has the score -1e9.
"""

from typing import Any

from .. import _engine, vectors
from ..errors import InvalidArgumentError, notify
from .tensors import as_array, check_device, is_tensor, scores_of

WITHOUT_VECTORS = -1e9  # below every score of vectors


def maxsim(
    a: Any,
    b: Any,
    a_mask: Any = None,
    b_mask: Any = None,
    chunk_elements: int | None = None,
    length_normalize: bool = False,
    device: Any = None,
) -> Any:
    """Returns the MaxSim of each query of a with each document of b: [a, b].

    a_mask, b_mask: 0 for vectors to leave out; other numbers of a_mask are weights. length_normalize: divides a score
    by the number of the query's vectors. chunk_elements has no effect.
    """
    return _scores(a, b, (a_mask, b_mask), length_normalize, pairwise=False, device=device)


def maxsim_pairwise(
    a: Any,
    b: Any,
    a_mask: Any = None,
    b_mask: Any = None,
    chunk_elements: int | None = None,
    length_normalize: bool = False,
    device: Any = None,
) -> Any:
    """Returns the MaxSim of a[i] and b[i]: [queries]. The other arguments are those of `maxsim`."""
    return _scores(a, b, (a_mask, b_mask), length_normalize, pairwise=True, device=device)


def mean_maxsim(
    a: Any,
    b: Any,
    a_mask: Any = None,
    b_mask: Any = None,
    chunk_elements: int | None = None,
    length_normalize: bool = True,
    device: Any = None,
) -> Any:
    """Returns `maxsim`, divided by the number of the query's vectors."""
    return _scores(a, b, (a_mask, b_mask), length_normalize, pairwise=False, device=device)


def mean_maxsim_pairwise(
    a: Any,
    b: Any,
    a_mask: Any = None,
    b_mask: Any = None,
    chunk_elements: int | None = None,
    length_normalize: bool = True,
    device: Any = None,
) -> Any:
    """Returns `maxsim_pairwise`, divided by the number of the query's vectors."""
    return _scores(a, b, (a_mask, b_mask), length_normalize, pairwise=True, device=device)


def _scores(a: Any, b: Any, masks: tuple[Any, Any], divided: bool, *, pairwise: bool, device: Any) -> Any:
    import numpy as np

    check_device(device)
    queries, documents = _texts("a", a, masks[0]), _texts("b", b, masks[1])
    if pairwise and len(queries) != len(documents):
        raise InvalidArgumentError(f"{len(queries)} queries and {len(documents)} documents, expected as many of both")
    if queries and any(len(document) == 0 for document in documents):
        notify("a document without vectors has the score -1e9, below every other")
    scores = np.empty((len(queries), 1 if pairwise else len(documents)), dtype=np.float32)
    for i, query in enumerate(queries):
        row = _scores_of_query(query, documents[i : i + 1] if pairwise else documents)
        scores[i] = row / max(len(query), 1) if divided else row
    return scores_of(scores[:, 0] if pairwise else scores)


def _scores_of_query(query: Any, documents: list[Any]) -> Any:
    import numpy as np

    scores = np.full(len(documents), WITHOUT_VECTORS)
    filled = [i for i, document in enumerate(documents) if len(document)]
    if filled:
        scores[filled] = _engine.max_sim(query, [documents[i] for i in filled]) if len(query) else 0.0
    return scores


def _texts(name: str, embeddings: Any, mask: Any) -> list[Any]:
    """Returns the vectors of each text that the mask does not leave out, times their weights: [vectors, size] each."""
    import numpy as np

    is_listed = isinstance(embeddings, (list, tuple))
    if is_listed:
        texts = [vectors.rows_of(f"{name}[{i}]", as_array(one)) for i, one in enumerate(embeddings)]
    else:
        array = as_array(embeddings)
        if array.ndim not in (2, 3):
            raise InvalidArgumentError(
                f"{name}: found an array of shape {array.shape}, expected [vectors, size] or [texts, vectors, size]"
            )
        texts = list(array if array.ndim == 3 else array[None])
    if mask is None:
        return texts if is_listed else [np.ascontiguousarray(text[text.any(axis=1)]) for text in texts]
    weighted = []
    for text, weights in zip(texts, _weights(f"{name}_mask", mask, texts), strict=True):
        kept = weights[: len(text)]
        rows = text[kept != 0] * kept[kept != 0, None]
        weighted.append(np.ascontiguousarray(rows if name == "a" else text[kept != 0]))
    return weighted


def _weights(name: str, mask: Any, texts: list[Any]) -> Any:
    """Returns a mask as an array [texts, vectors]. Raises an error for negative numbers."""
    import numpy as np

    longest = max((len(text) for text in texts), default=0)
    if isinstance(mask, (list, tuple)) and mask and (is_tensor(mask[0]) or np.ndim(mask[0])):
        rows = [as_array(one) for one in mask]
        widest = max(len(row) for row in rows)
        array = np.stack([np.pad(row, (0, widest - len(row))) for row in rows])
    elif isinstance(mask, (list, tuple)) or hasattr(mask, "shape"):
        array = np.atleast_2d(as_array(mask) if hasattr(mask, "shape") else np.asarray(mask, dtype=np.float32))
    else:
        raise TypeError(f"{name}: found {type(mask).__name__}, expected an array, a tensor or a list of them")
    if array.shape != (len(texts), longest):
        raise InvalidArgumentError(f"{name} covers {array.shape} (texts, vectors), expected {(len(texts), longest)}")
    if (array < 0).any():
        raise InvalidArgumentError(f"{name}: found {array.min()}, expected 0, 1 or a positive weight")
    return array
