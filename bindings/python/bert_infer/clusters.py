"""Finds near-duplicates and clusters among vectors by comparing the cosines of all pairs."""

from typing import TYPE_CHECKING, Any

from . import _engine, vectors
from .errors import InvalidArgumentError, check_integer, notify

if TYPE_CHECKING:
    from .types import Clusters, Deduplicated


def dedup(
    embeddings: Any, *, threshold: float = 0.9, threads: int = 0, max_bytes: int = 0
) -> "Deduplicated":
    """Drops near-duplicates of earlier vectors and returns which vectors stay.

    embeddings: [rows, size], finite numbers. A row is dropped if its cosine with an earlier row that stays is at least
    `threshold`. kept, dropped: row numbers. nearest: for each dropped row, the earlier kept row with the largest
    cosine; the first one if several are equal. cosines: the cosine of each dropped row with its nearest row, float64.
    All pairs are compared, so the result is the same for any number of threads. max_bytes: the most memory that the
    call may use besides the vectors; 0: no limit.

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
    """Groups vectors: into `k` clusters by k-means, or with `threshold` into clusters of vectors that are near a
    centre.

    embeddings: [rows, size], finite numbers. labels: the cluster of each row; 0 is the largest cluster, -1 means no
    cluster. cosines: each row's cosine with the centre of its cluster; nan without a cluster. centers: [clusters,
    size]. sizes: the number of rows of each cluster.

    k: k-means on the rows scaled to length 1, like scikit-learn's KMeans on normalised vectors; a centre is a mean.
    `seed` changes the initial centres. A Notice says if max_iterations were not enough, or if there are fewer clusters
    because too few rows differ.
    threshold: the centre of a cluster is one of its rows, and every other row of the cluster has at least this cosine
    with the centre. Rows with the most neighbours become centres first. A cluster has at least min_size rows, as in
    sentence-transformers' community_detection.
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
    """Returns the argument. Raises an error unless it is a number above 0 and at most 1."""
    if isinstance(threshold, (int, float)) and not isinstance(threshold, bool) and 0 < threshold <= 1:
        return float(threshold)
    raise InvalidArgumentError(f"threshold: found {threshold!r}, expected a number above 0 and at most 1")


def _limits(threads: int, max_bytes: int) -> tuple[int, int]:
    check_integer("threads", threads, 0)
    check_integer("max_bytes", max_bytes, 0)
    return threads, max_bytes
