"""Vectors in Ray Data: a class for Dataset.map_batches. It needs nothing of Ray itself.

    dataset.map_batches(Embedder, fn_constructor_kwargs={"model": "path/to/model"}, concurrency=4, num_cpus=1)

Each actor loads the model once. The actors of a machine share the weights, which are mapped files. The rows have the
same bits as those of a single process, also when an actor dies and its batch is computed again.
"""

from typing import TYPE_CHECKING, Any

from .errors import InvalidArgumentError
from .model import Model
from .runs import Report

if TYPE_CHECKING:
    from .types import Vectors

__all__ = ["Embedder"]


class Embedder:
    """Adds the vectors of a column to each batch.

    model, precision, revision, task: arguments of bert_infer.Model, the same on every machine. threads: for each actor;
    use the actor's num_cpus. options: prompt_name, prompt, normalize_embeddings, truncate_dim and max_length of
    Model.encode. A null stays null; a text that fails becomes a null. The actor's log has their numbers.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        column: str = "text",
        into: str = "embedding",
        threads: int = 1,
        precision: Any = "stored",
        revision: str = "main",
        task: str | None = None,
        **options: Any,
    ) -> None:
        self._model = Model(model, threads=threads, precision=precision, revision=revision, task=task,
                            packing="never")  # the workers of a machine share one copy
        self._column = column
        self._into = into
        self._options = options

    def __call__(self, batch: "dict[str, Vectors]") -> "dict[str, Any]":
        import numpy as np

        if not isinstance(batch, dict):
            raise TypeError(f"a batch: found {type(batch).__name__}, expected a dict of arrays: batch_format='numpy'")
        if self._column not in batch:
            raise InvalidArgumentError(f"no column {self._column!r} in the batch, which has {list(batch)}")
        report = Report()
        vectors = self._model.encode_reported(batch[self._column].tolist(), report, **self._options)
        report.notify()
        missing = np.isnan(vectors[:, 0])
        if missing.any():  # then lists, which may be null
            lists = [None if no else row.tolist() for row, no in zip(vectors, missing, strict=True)]
            return {**batch, self._into: lists}
        return {**batch, self._into: vectors}
