"""Sparse vectors as scipy arrays or sparse tensors, and similarities that do not fill in the zeros."""

from importlib import import_module
from typing import Any

from ..errors import InvalidArgumentError
from .tensors import as_array, is_sparse, is_tensor, scores_of


def as_rows(value: Any) -> Any:
    """Returns a scipy CSR array [vectors, size]. The argument is a sparse array, a tensor, or a list of either."""
    import numpy as np

    sparse = import_module("scipy.sparse")
    if isinstance(value, (list, tuple)) and value and (is_sparse(value[0]) or is_tensor(value[0])):
        return sparse.vstack([as_rows(one) for one in value], format="csr")
    if is_tensor(value) and is_sparse(value):
        return _rows_of_tensor(value)
    if not sparse.issparse(value):
        return sparse.csr_array(np.atleast_2d(as_array(value)))
    return sparse.csr_array(value if value.ndim == 2 else value.reshape(1, -1))


def as_sparse_tensor(rows: Any) -> Any:
    """Returns a COO tensor with the numbers of a CSR array."""
    import numpy as np

    torch = import_module("torch")
    places = torch.as_tensor(np.stack(rows.nonzero()) if rows.nnz else np.empty((2, 0), np.int64)).long()
    return torch.sparse_coo_tensor(places, torch.as_tensor(rows.data), rows.shape).coalesce()


def sparse_scores(function: str, first: Any, second: Any) -> Any:
    """Returns the similarity of each vector with each: [first, second], in float32; a tensor if torch is loaded."""
    import numpy as np

    a, b = _pair(first, second)
    dots = (a @ b.T).toarray()
    if function == "dot":
        scores = dots
    elif function == "manhattan":
        scores = -np.array([[abs(a[[i]] - b[[j]]).sum() for j in range(b.shape[0])] for i in range(a.shape[0])])
        scores = scores.reshape(dots.shape)
    elif function == "cosine":
        norms = np.sqrt(np.outer(_squares(a), _squares(b)))
        scores = np.divide(dots, norms, out=np.zeros_like(dots), where=norms > 0)
    else:
        scores = -np.sqrt(np.maximum(_squares(a)[:, None] + _squares(b)[None, :] - 2 * dots, 0))
    return scores_of(scores.astype(np.float32))


def sparse_scores_pairwise(function: str, first: Any, second: Any) -> Any:
    """Returns the similarity of first[i] and second[i]: [vectors], or one number for two tensors of one dimension."""
    import numpy as np

    a, b = _pair(first, second)
    if a.shape != b.shape:
        raise InvalidArgumentError(f"vectors of shapes {a.shape} and {b.shape}, expected equal ones")
    if function == "manhattan":
        scores = -abs(a - b).sum(axis=1)
    elif function == "euclidean":
        scores = -np.sqrt(_squares(a - b))
    else:
        scores = a.multiply(b).sum(axis=1)
        if function == "cosine":
            norms = np.sqrt(_squares(a) * _squares(b))
            scores = np.divide(scores, norms, out=np.zeros_like(scores), where=norms > 0)
    scores = np.asarray(scores, dtype=np.float32).reshape(-1)
    is_one = getattr(first, "ndim", 2) == 1 and getattr(second, "ndim", 2) == 1
    return scores_of(scores[0] if is_one else scores)


def _pair(first: Any, second: Any) -> tuple[Any, Any]:
    import numpy as np

    a, b = as_rows(first).astype(np.float64), as_rows(second).astype(np.float64)
    if a.shape[1] != b.shape[1]:
        raise InvalidArgumentError(f"vectors of shapes {a.shape} and {b.shape}, expected equal sizes")
    return a, b


def _squares(rows: Any) -> Any:
    """Returns the squared length of each row."""
    import numpy as np

    return np.asarray(rows.multiply(rows).sum(axis=1)).reshape(-1)


def _rows_of_tensor(tensor: Any) -> Any:
    import numpy as np

    tensor = tensor.detach().cpu().float().coalesce()
    places = tensor.indices().numpy()
    if tensor.ndim == 1:
        places = np.stack([np.zeros_like(places[0]), places[0]])
    shape = (1, *tensor.shape) if tensor.ndim == 1 else tuple(tensor.shape)
    return import_module("scipy.sparse").csr_array((tensor.values().numpy(), (places[0], places[1])), shape=shape)
