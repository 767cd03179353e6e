"""Near-duplicates and clusters among vectors, by the cosine of each with each."""

from typing import TYPE_CHECKING, Any

from . import _engine, vectors
from .errors import InvalidArgumentError, check_integer, notify

if TYPE_CHECKING:
    from .types import Clusters, Deduplicated


def dedup(
    embeddings: Any, *, threshold: float = 0.9, threads: int = 0, max_bytes: int = 0
) -> "Deduplicated":
    """Which vectors stay when near-duplicates of earlier ones are dropped.

    embeddings: [rows, size], finite numbers. A row is dropped if an earlier row that stays has a cosine of at least
    `threshold` with it. kept, dropped: the numbers of the rows; nearest: for each dropped row the earlier kept one with
    the largest cosine, of equal ones the first; cosines: of these two, float64. The result is that of all pairs, the
    same for any number of threads. max_bytes: memory that the call may need besides the vectors; 0: any.

    >>> import numpy as np
    >>> dedup(np.float32([[1, 0], [0, 1], [2, 0.1]]))["kept"]
    array([0, 1])
    """
    import numpy as np

    rows = vectors.rows_of("embeddings", embeddings)
    dropped, nearest, cosines = _engine.duplicates(rows, checked_cosine(threshold), *_limits(threads, max_bytes))
    kept = np.ones(len(rows), dtype=bool)
    kept[dropped] = False
    return {"kept": np.flatnonzero(kept), "dropped": dropped, "nearest": nearest, "cosines": cosines}


def cluster(
    embeddings: Any,
    *,
    k: int | None = None,
    threshold: float | None = None,
    seed: int = 0,
    max_iterations: int = 100,
    min_size: int = 2,
    threads: int = 0,
    max_bytes: int = 0,
) -> "Clusters":
    """Groups of vectors: `k` of them by k-means, or those of vectors near a centre by `threshold`.

    embeddings: [rows, size], finite numbers. labels: the cluster of each row, the largest cluster is 0; -1 for a row of
    none. cosines: of each row with its centre, nan for none. centers: [clusters, size]. sizes: rows of each cluster.

    k: k-means of the rows scaled to length 1, as scikit-learn's KMeans of normalised vectors; the centres are means.
    `seed` chooses other first centres. A Notice says that max_iterations were not enough, or that there are fewer
    clusters because fewer rows differ.
    threshold: a cluster's centre is one of its rows, the others have a cosine of at least this with it. Rows with the
    most neighbours become centres first. A cluster has min_size rows or more, as sentence-transformers'
    community_detection.
    """
    import numpy as np

    if (k is None) == (threshold is None):
        raise InvalidArgumentError("cluster: expected k or threshold, one of them")
    rows = vectors.rows_of("embeddings", embeddings)
    limits = _limits(threads, max_bytes)
    if k is not None:
        check_integer("k", k, 1)
        check_integer("seed", seed, 0)
        check_integer("max_iterations", max_iterations, 1)
        labels, cosines, centers, _, iterations, has_converged = _engine.k_means(
            rows, k, seed, max_iterations, *limits
        )
        if len(centers) < k:
            notify("fewer clusters than k: no more of the rows differ", k=k, clusters=len(centers))
        if not has_converged:
            notify("rows still changed their clusters after max_iterations", iterations=iterations)
    else:
        check_integer("min_size", min_size, 1)
        assert threshold is not None
        labels, cosines, places = _engine.communities(rows, checked_cosine(threshold), min_size, *limits)
        centers = rows[places]
    sizes = np.bincount(labels[labels >= 0], minlength=len(centers))
    return {"labels": labels, "cosines": cosines, "centers": centers, "sizes": sizes}


def checked_cosine(threshold: object) -> float:
    """The argument, if it is a number above 0 and at most 1."""
    if isinstance(threshold, (int, float)) and not isinstance(threshold, bool) and 0 < threshold <= 1:
        return float(threshold)
    raise InvalidArgumentError(f"threshold: found {threshold!r}, expected a number above 0 and at most 1")


def _limits(threads: int, max_bytes: int) -> tuple[int, int]:
    check_integer("threads", threads, 0)
    check_integer("max_bytes", max_bytes, 0)
    return threads, max_bytes
