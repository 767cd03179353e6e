"""Vectors in Ray Data: a class for Dataset.map_batches. It needs nothing of Ray itself.

    dataset.map_batches(Embedder, fn_constructor_kwargs={"model": "path/to/model"}, concurrency=4, num_cpus=1)

Each actor loads the model once; the actors of a machine share the weights, which are mapped files. The rows have the
bits of a single process, also when an actor dies and its batch is computed again.
"""

from typing import TYPE_CHECKING, Any

from .model import Model

if TYPE_CHECKING:
    from .types import Vectors

__all__ = ["Embedder"]


class Embedder:
    """Adds the vectors of a column to each batch.

    model: what bert_infer.Model takes, on every machine. threads: of each actor, its num_cpus. options: of
    Model.encode.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        column: str = "text",
        into: str = "embedding",
        threads: int = 1,
        **options: Any,
    ) -> None:
        self._model = Model(model, threads=threads)
        self._column = column
        self._into = into
        self._options = options

    def __call__(self, batch: "dict[str, Vectors]") -> "dict[str, Vectors]":
        texts = batch[self._column].tolist()
        return {**batch, self._into: self._model.encode(texts, **self._options)}
