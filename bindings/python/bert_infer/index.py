"""Exact search among vectors; the engine computes it."""

import os
from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _engine
from .errors import InvalidArgumentError, NonFiniteError, UnsupportedError, check_integer, checked_list, checked_path
from .vectors import rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .model import Model
    from .types import FloatArray, Ranked

Scan = Literal["float32", "int8", "binary"]


class Index:
    """Vectors of one size. A search finds those with the largest dot products, which are cosines if the length is 1.

    vectors: the first vectors, [vectors, size]. scan: what a search reads of each vector: "float32"; "int8", which
    reads a quarter of the bytes and finds the same; or "binary", which reads one bit for each number and compares the
    best candidates again as floats.
    threads: for a search; 0: the CPUs that the process may use.

    Any number of threads may search at the same time, but not while a thread adds vectors.
    """

    def __init__(self, vectors: Any = None, *, scan: Scan = "float32", threads: int = 0) -> None:
        check_integer("threads", threads, 0)
        if scan not in ("float32", "int8", "binary"):
            raise InvalidArgumentError(f"scan {scan!r}, expected float32, int8 or binary")
        self.scan: str = scan
        self.label = ""
        self._threads = threads
        self._lock = Lock()
        self._engine: _engine.VectorIndex | None = None
        self._added: list[FloatArray] = []  # vectors that the engine does not have yet
        self._file: str | None = None  # the file that `load` read
        if vectors is not None:
            self.add(vectors)

    @classmethod
    def load(cls, file: "str | os.PathLike[str]", *, threads: int = 0, copy: bool = False) -> "Index":
        """Maps a file of `save`, or of `bert-infer search --index`, and checks its checksums.

        copy: reads the file into memory. Without a copy, the process ends (SIGBUS) if someone shortens the file later.
        """
        index = cls(threads=threads)
        path = os.path.abspath(checked_path("file", file))
        engine = _engine.VectorIndex.open(path, threads)
        index.scan, index.label = engine.scan, engine.label
        if copy:
            index._engine = _engine.VectorIndex.make(engine.rows(), engine.scan, threads)
        else:
            index._engine, index._file = engine, path
        return index

    def save(self, file: "str | os.PathLike[str]", *, label: str = "") -> None:
        """Writes a file, which gets its name when it is complete. label: any text; `load` returns it."""
        self._whole().write(checked_path("file", file), label)

    def add(self, vectors: Any) -> None:
        """Adds vectors, [vectors, size] or [size], after the existing ones; the next search copies all vectors."""
        rows = _finite_rows("vectors", vectors)
        if rows.shape == (0, 0):  # an empty list
            return
        if self.size and rows.shape[1] != self.size:
            raise InvalidArgumentError(f"vectors of shape {rows.shape}, expected {self.size} numbers in each")
        self._added.append(rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles a loaded index as its file's path, and any other index as its vectors."""
        if self._file is not None and not self._added:
            return _load_again, (self._file, self._threads)
        return _make_again, (self._rows(), self.scan, self._threads, self.label)

    @property
    def size(self) -> int:
        """The size of a vector, or 0 if there are none."""
        return self._engine.size if self._engine else self._added[0].shape[1] if self._added else 0

    def __len__(self) -> int:
        return (self._engine.count if self._engine else 0) + sum(len(rows) for rows in self._added)

    def __repr__(self) -> str:
        return f"<Index of {len(self):,} vectors of {self.size}, {self.scan}>"

    def search(
        self, queries: Any, top_k: int = 10, *, candidates: int = 0
    ) -> "tuple[NDArray[np.float64], NDArray[np.int64]]":
        """Returns the best vectors for each query, best first: scores and row numbers, [queries, top_k] each.

        For one query, [size], both are [top_k]. There are fewer than top_k if the index has fewer vectors. candidates:
        for "binary", how many vectors are compared again; 0: ten times top_k.
        """
        import numpy as np

        check_integer("top_k", top_k, 1)
        check_integer("candidates", candidates, 0)
        rows = _finite_rows("queries", queries)
        places, scores = self._whole().search(rows, top_k, candidates)
        return (scores[0], places[0]) if np.ndim(queries) == 1 else (scores, places)

    def _rows(self) -> "FloatArray | None":
        """Returns all vectors, or None if there are none."""
        import numpy as np

        rows = self._added if self._engine is None else [self._engine.rows(), *self._added]
        return np.concatenate(rows) if len(rows) > 1 else rows[0] if rows else None

    def _whole(self) -> _engine.VectorIndex:
        with self._lock:  # the first search after `add` copies the vectors
            whole = self._rows() if self._added else None
            if whole is not None:
                self._engine = _engine.VectorIndex.make(whole, self.scan, self._threads)
                self._added, self._file = [], None
            if self._engine is None or not self._engine.count:
                raise InvalidArgumentError("the index has no vectors")
            return self._engine


def _finite_rows(name: str, vectors: Any) -> "FloatArray":
    """Returns vectors as rows. Refuses NaN and infinities, whose scores have no order."""
    import numpy as np

    rows = rows_of(name, vectors)
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        row = int(finite.argmin())
        number = rows[row][~np.isfinite(rows[row])][0]
        raise NonFiniteError(f"{name}[{row}] has the number {number}, expected finite ones")
    return rows


def _load_again(file: str, threads: int) -> Index:
    return Index.load(file, threads=threads)


def _make_again(rows: Any, scan: Scan, threads: int, label: str) -> Index:
    index = Index(rows, scan=scan, threads=threads)
    index.label = label
    return index


@overload
def semantic_search(  # type: ignore[overload-overlap]
    model: "Model", queries: str, documents: Iterable[str], *, top_k: int = ...
) -> "list[Ranked]": ...


@overload
def semantic_search(
    model: "Model", queries: Iterable[str], documents: Iterable[str], *, top_k: int = ...
) -> "list[list[Ranked]]": ...


def semantic_search(
    model: "Model", queries: "str | Iterable[str]", documents: Iterable[str], *, top_k: int = 10
) -> "list[Ranked] | list[list[Ranked]]":
    """Returns the documents whose vectors fit each query best: for each query, a list of dicts of corpus_id, score and
    text.

    For a single str the result is one list. The model decides between the cosine and the dot product.
    """
    function = model.similarity_function
    if function not in ("cosine", "dot"):
        raise UnsupportedError(f"search by the similarity {function!r} is not supported, expected cosine or dot")
    kept = checked_list("documents", documents, "texts")
    check_integer("top_k", top_k, 1)
    texts = [queries] if isinstance(queries, str) else checked_list("queries", queries, "texts")
    if not kept or not texts:
        nothing: list[list[Ranked]] = [[] for _ in texts]
        return [] if isinstance(queries, str) else nothing
    unit = function == "cosine"
    index = Index(model.encode_document(kept, normalize_embeddings=unit), threads=model.threads)
    scores, places = index.search(model.encode_query(texts, normalize_embeddings=unit), top_k)
    found: list[list[Ranked]] = [
        [
            {"corpus_id": int(place), "score": float(score), "text": kept[place]}
            for score, place in zip(*rows, strict=True)
            if place >= 0
        ]
        for rows in zip(scores, places, strict=True)
    ]
    return found[0] if isinstance(queries, str) else found
