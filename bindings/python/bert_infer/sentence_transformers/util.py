"""The functions of sentence_transformers.util on vectors: similarities, search, clusters, quantisation.

Arguments may be arrays, lists and tensors. Scores are tensors if torch is loaded, as in sentence-transformers.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, overload

from .. import vectors
from ..errors import InvalidArgumentError, check_integer
from ..types import VectorPrecision
from .max_sim import maxsim, maxsim_pairwise, mean_maxsim, mean_maxsim_pairwise
from .sparse_rows import as_rows, as_sparse_tensor, sparse_scores, sparse_scores_pairwise
from .tensors import as_array, as_tensor, check_device, is_sparse, is_tensor, scores_of

if TYPE_CHECKING:
    from torch import Tensor

    from .annotations import ArrayLike, Scores, TensorLike

Similarity = Callable[..., Any]


def vector_scores(function: str, a: Any, b: Any, pairwise: bool = False) -> "Scores":
    """Returns the similarity of each vector of a with each of b: [a, b]. pairwise: of a[i] and b[i], or of two
    vectors."""
    scores: Scores
    if is_sparse(a) or is_sparse(b):
        scores = (sparse_scores_pairwise if pairwise else sparse_scores)(function, a, b)
        return scores
    a, b = as_array(a), as_array(b)
    if pairwise:
        of_pairs = vectors.similarity_pairwise(function, a, b)
        scores = scores_of(of_pairs[0] if a.ndim == b.ndim == 1 else of_pairs)
    else:
        scores = scores_of(vectors.similarity(function, a, b))
    return scores


@overload
def cos_sim(a: "ArrayLike", b: "ArrayLike") -> "Scores": ...


@overload
def cos_sim(a: "TensorLike", b: "TensorLike") -> "Tensor": ...


def cos_sim(a: "ArrayLike | TensorLike", b: "ArrayLike | TensorLike") -> "Scores":
    """Returns the cosine of each vector of a with each vector of b: [a, b]."""
    return vector_scores("cosine", a, b)


pytorch_cos_sim = cos_sim


@overload
def dot_score(a: "ArrayLike", b: "ArrayLike") -> "Scores": ...


@overload
def dot_score(a: "TensorLike", b: "TensorLike") -> "Tensor": ...


def dot_score(a: "ArrayLike | TensorLike", b: "ArrayLike | TensorLike") -> "Scores":
    """Returns the dot product of each vector of a with each vector of b: [a, b]."""
    return vector_scores("dot", a, b)


def euclidean_sim(a: "ArrayLike | TensorLike", b: "ArrayLike | TensorLike") -> "Scores":
    """Returns the negative Euclidean distance of each vector of a from each vector of b: [a, b]."""
    return vector_scores("euclidean", a, b)


def manhattan_sim(a: "ArrayLike | TensorLike", b: "ArrayLike | TensorLike") -> "Scores":
    """Returns the negative Manhattan distance of each vector of a from each vector of b: [a, b]."""
    return vector_scores("manhattan", a, b)


def pairwise_cos_sim(a: "ArrayLike | TensorLike", b: "ArrayLike | TensorLike") -> "Scores":
    """Returns the cosine of a[i] and b[i]: [vectors]."""
    return vector_scores("cosine", a, b, pairwise=True)


def pairwise_dot_score(a: "ArrayLike | TensorLike", b: "ArrayLike | TensorLike") -> "Scores":
    """Returns the dot product of a[i] and b[i]: [vectors]."""
    return vector_scores("dot", a, b, pairwise=True)


def pairwise_euclidean_sim(a: "ArrayLike | TensorLike", b: "ArrayLike | TensorLike") -> "Scores":
    """Returns the negative Euclidean distance of a[i] and b[i]: [vectors]."""
    return vector_scores("euclidean", a, b, pairwise=True)


def pairwise_manhattan_sim(a: "ArrayLike | TensorLike", b: "ArrayLike | TensorLike") -> "Scores":
    """Returns the negative Manhattan distance of a[i] and b[i]: [vectors]."""
    return vector_scores("manhattan", a, b, pairwise=True)


def pairwise_angle_sim(x: Any, y: Any) -> Any:
    """Returns AnglE's similarity of x[i] and y[i]: [vectors]. The halves of each unit vector are the real and imaginary
    parts of complex numbers; x[i] is multiplied by the conjugate of y[i], and the result is the absolute value of the
    sum of all real and imaginary parts."""
    import numpy as np

    a, b = (np.atleast_2d(np.asarray(normalize_embeddings(as_array(one)), dtype=np.float64)) for one in (x, y))
    if a.shape != b.shape or a.ndim != 2:
        raise InvalidArgumentError(f"vectors of shapes {a.shape} and {b.shape}, expected equal ones [vectors, size]")
    if a.shape[1] % 2:
        a, b = (np.pad(one, ((0, 0), (0, 1))) for one in (a, b))
    half = a.shape[1] // 2
    products = (a[:, :half] + 1j * a[:, half:]) * np.conj(b[:, :half] + 1j * b[:, half:])
    sums = products.sum(axis=1)
    return scores_of(np.abs(sums.real + sums.imag).astype(np.float32))


class SimilarityFunction(Enum):
    """The names of similarities, as in models' files."""

    COSINE = "cosine"
    DOT_PRODUCT = "dot"
    DOT = "dot"
    EUCLIDEAN = "euclidean"
    MANHATTAN = "manhattan"
    MAXSIM = "maxsim"
    MEAN_MAXSIM = "meanmaxsim"

    @staticmethod
    def to_similarity_fn(similarity_function: "str | SimilarityFunction") -> Similarity:
        """Returns the function that compares each vector with each."""
        return _function(
            similarity_function, (cos_sim, dot_score, euclidean_sim, manhattan_sim, maxsim, mean_maxsim)
        )

    @staticmethod
    def to_similarity_pairwise_fn(similarity_function: "str | SimilarityFunction") -> Similarity:
        """Returns the function that compares vectors at the same place."""
        of_vectors = (pairwise_cos_sim, pairwise_dot_score, pairwise_euclidean_sim, pairwise_manhattan_sim)
        return _function(similarity_function, (*of_vectors, maxsim_pairwise, mean_maxsim_pairwise))

    @staticmethod
    def possible_values() -> list[str]:
        """Returns the names of all similarities."""
        return [one.value for one in SimilarityFunction]


def _function(given: Any, functions: Sequence[Similarity]) -> Similarity:
    names = SimilarityFunction.possible_values()
    name = getattr(given, "value", given)
    if name not in names:
        raise InvalidArgumentError(f"similarity {name!r}, expected one of {', '.join(names)}")
    return functions[names.index(name)]


def normalize_embeddings(embeddings: Any) -> Any:
    """Returns the vectors scaled to length 1; a vector of zeros stays."""
    import numpy as np

    if is_tensor(embeddings) and is_sparse(embeddings):
        sparse = as_rows(embeddings)
        lengths = np.sqrt(np.asarray(sparse.multiply(sparse).sum(axis=1))).reshape(-1, 1)
        return as_sparse_tensor(sparse.multiply(1 / np.maximum(lengths, np.float32(1e-12))).tocsr())
    rows = as_array(embeddings)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    unit = rows / np.maximum(lengths, np.float32(1e-12))
    return as_tensor(unit) if is_tensor(embeddings) else unit


def truncate_embeddings(embeddings: Any, truncate_dim: int | None) -> Any:
    """Returns the first truncate_dim numbers of each vector."""
    if truncate_dim is not None:
        check_integer("truncate_dim", truncate_dim, 1)
    return (embeddings if hasattr(embeddings, "ndim") else as_array(embeddings))[..., :truncate_dim]


def batch_to_device(batch: dict[str, Any], target_device: Any) -> dict[str, Any]:
    """Returns the tensors of a batch on a device, which must be the CPU."""
    check_device(target_device)
    return batch


def to_scipy_coo(x: Any) -> Any:
    """Returns a sparse tensor as a scipy array in COO form."""
    from importlib import import_module

    if not hasattr(x, "coalesce"):
        raise InvalidArgumentError(f"found {type(x).__name__}, expected a sparse tensor")
    tensor = x.coalesce().cpu()
    places, shape = tensor.indices().numpy(), tuple(tensor.shape)
    return import_module("scipy.sparse").coo_matrix((tensor.values().numpy(), tuple(places)), shape=shape)


def select_max_active_dims(embeddings: Any, max_active_dims: int | None) -> Any:
    """Keeps the numbers with the largest absolute values of each vector; the others become zeros."""
    import numpy as np

    if max_active_dims is None:
        return embeddings
    check_integer("max_active_dims", max_active_dims, 1)
    is_wide = getattr(embeddings, "dtype", None) == np.float64
    rows = embeddings if is_wide else as_array(embeddings)
    places = np.argsort(-np.abs(rows), axis=-1, kind="stable")[..., :max_active_dims]
    kept = np.zeros_like(rows)
    np.put_along_axis(kept, places, np.take_along_axis(rows, places, axis=-1), axis=-1)
    return scores_of(kept)


def quantize_embeddings(
    embeddings: Any, precision: VectorPrecision, ranges: Any = None, calibration_embeddings: Any = None
) -> Any:
    """Returns vectors with fewer bits per number. The ranges are those of the vectors, given ranges, or those of other
    vectors.

    The argument may be a list of texts' token vectors, [vectors, size] each; then the result is a list, and the ranges
    are those of all texts together.
    """
    import numpy as np

    if isinstance(embeddings, (list, tuple)):
        if not embeddings:
            return []
        if getattr(embeddings[0], "ndim", 1) == 2:
            texts = [as_array(text) for text in embeddings]
            if ranges is None and calibration_embeddings is None and precision in ("int8", "uint8"):
                calibration_embeddings = np.concatenate(texts)
            return [quantize_embeddings(text, precision, ranges, calibration_embeddings) for text in texts]
    if getattr(embeddings, "ndim", 1) == 2 and not len(embeddings):
        return vectors.quantize(np.empty(embeddings.shape, dtype=np.float32), precision, ranges)
    if getattr(embeddings, "dtype", None) in (np.int8, np.uint8):
        raise InvalidArgumentError(f"embeddings of {embeddings.dtype}, expected floats")
    if ranges is None and calibration_embeddings is not None:
        calibration = as_array(calibration_embeddings)
        ranges = np.stack((calibration.min(axis=0), calibration.max(axis=0)))
    return vectors.quantize(as_array(embeddings), precision, ranges)


def semantic_search(
    query_embeddings: Any,
    corpus_embeddings: Any,
    query_chunk_size: int = 100,
    corpus_chunk_size: int = 500_000,
    top_k: int = 10,
    score_function: Similarity = cos_sim,
) -> list[list[dict[str, Any]]]:
    """Returns for each query the corpus' vectors that fit best, best first: dicts of corpus_id and score."""
    found: list[list[dict[str, Any]]] = []
    queries = _batch(query_embeddings)
    for start in range(0, len(queries), query_chunk_size):
        part = queries[start : start + query_chunk_size]
        best = _best(part, corpus_embeddings, top_k, corpus_chunk_size, score_function)
        found += [[{"corpus_id": index, "score": score} for score, index in row] for row in best]
    return found


information_retrieval = semantic_search  # its name before


def paraphrase_mining(
    model: Any,
    sentences: Sequence[str],
    show_progress_bar: bool = False,
    batch_size: int = 32,
    query_chunk_size: int = 5000,
    corpus_chunk_size: int = 100_000,
    max_pairs: int = 500_000,
    top_k: int = 100,
    score_function: Similarity = cos_sim,
    truncate_dim: int | None = None,
    prompt_name: str | None = None,
    prompt: str | None = None,
) -> list[list[Any]]:
    """Returns the pairs of texts that are most alike, best first: lists of score, index, index."""
    embeddings = model.encode(
        list(sentences),
        show_progress_bar=show_progress_bar,
        batch_size=batch_size,
        truncate_dim=truncate_dim,
        prompt_name=prompt_name,
        prompt=prompt,
    )
    return paraphrase_mining_embeddings(
        embeddings, query_chunk_size, corpus_chunk_size, max_pairs, top_k, score_function
    )


def paraphrase_mining_embeddings(
    embeddings: Any,
    query_chunk_size: int = 5000,
    corpus_chunk_size: int = 100_000,
    max_pairs: int = 500_000,
    top_k: int = 100,
    score_function: Similarity = cos_sim,
) -> list[list[Any]]:
    """Returns the pairs of vectors that are most alike, best first. Each vector is paired with the top_k that fit it
    best."""
    scores: dict[tuple[int, int], float] = {}
    embeddings = _batch(embeddings)
    for start in range(0, len(embeddings), query_chunk_size):
        part = embeddings[start : start + query_chunk_size]
        best = _best(part, embeddings, top_k + 1, corpus_chunk_size, score_function)
        for i, row in enumerate(best, start):
            for score, j in [one for one in row if one[1] != i][:top_k]:
                scores.setdefault((min(i, j), max(i, j)), score)
    ranked = sorted(scores.items(), key=lambda one: -one[1])
    return [[score, i, j] for (i, j), score in ranked[:max_pairs]]


def community_detection(
    embeddings: Any,
    threshold: float = 0.75,
    min_community_size: int = 10,
    batch_size: int = 1024,
    show_progress_bar: bool = False,
) -> list[list[int]]:
    """Returns groups of vectors, largest first. Each vector's cosine with the first of its group is at least the
    threshold.

    No vector is in two groups. show_progress_bar has no effect.
    """
    import numpy as np

    rows = _batch(embeddings)
    groups = []
    for start in range(0, len(rows), batch_size):
        for center, row in enumerate(np.asarray(cos_sim(rows[start : start + batch_size], rows)), start):
            members = np.flatnonzero(row >= threshold)
            if len(members) >= min_community_size:
                groups.append((center, members[np.argsort(-row[members], kind="stable")].tolist()))
    groups.sort(key=lambda group: -len(group[1]))
    taken: set[int] = set()
    communities = []
    for center, members in groups:
        free = [member for member in members if member not in taken and member != center]
        if center not in taken and len(free) + 1 >= min_community_size:
            communities.append([center, *free])
            taken.update(communities[-1])
    return sorted(communities, key=len, reverse=True)


def _batch(embeddings: Any) -> Any:
    """Returns vectors as rows; the argument may also be a list of vectors or a single vector."""
    if isinstance(embeddings, (list, tuple)):
        if not embeddings:
            return vectors.rows_of("embeddings", [[]])[:0]
        embeddings = as_array(embeddings)
    if getattr(embeddings, "ndim", 0) not in (1, 2):
        vectors.rows_of("embeddings", embeddings)  # refuses it
    return embeddings[None] if embeddings.ndim == 1 else embeddings


def _best(queries: Any, corpus: Any, top_k: int, chunk_size: int, score_function: Similarity) -> list[list[Any]]:
    """Returns for each query the (score, index) of the best top_k vectors of the corpus, best first."""
    import numpy as np

    corpus = _batch(corpus)
    best: list[list[tuple[float, int]]] = [[] for _ in range(len(queries))]
    for start in range(0, len(corpus), chunk_size):
        scores = np.asarray(score_function(queries, corpus[start : start + chunk_size]))
        top = min(top_k, scores.shape[1])
        ids = np.argpartition(-scores, top - 1, axis=1)[:, :top] if top else np.empty((len(scores), 0), np.int64)
        for i, row in enumerate(ids):
            best[i] += [(float(scores[i, j]), start + int(j)) for j in row]
            best[i] = sorted(best[i], key=lambda one: (-one[0], one[1]))[:top_k]
    return best
