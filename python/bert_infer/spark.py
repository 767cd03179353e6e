"""Vectors in Spark; needs the packages pyspark, pandas and pyarrow.

Each Python worker loads the model once; the workers of a machine share the weights, which are mapped files. The rows
have the bits of a single process: also when a task is retried, and on executors with other CPUs.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from .model import Model

__all__ = ["embed_in_arrow", "embed_udf"]


@lru_cache(maxsize=1)
def worker_model(name: str | None, threads: int) -> Model:
    """The model of this Python worker."""
    return Model(name, threads=threads)


def embed_udf(model: str | None = None, *, threads: int = 1, **options: Any) -> Any:
    """A column function: a column of texts to arrays of floats.

        vectors = table.withColumn("embedding", embed_udf("path/to/model")("text"))

    model: what bert_infer.Model takes, on every machine. threads: of each worker; Spark runs a worker for each core of
    an executor. options: of Model.encode. A null stays null.
    """
    import pandas
    from pyspark.sql.functions import pandas_udf

    def embed(batches: Iterator[pandas.Series]) -> Iterator[pandas.Series]:
        encoder = worker_model(model, threads)
        for texts in batches:
            vectors = encoder.encode(texts.fillna("").tolist(), **options)
            yield pandas.Series(list(vectors), index=texts.index, dtype=object).where(texts.notna(), None)

    # Spark reads the annotations' types.
    embed.__annotations__ = {"batches": Iterator[pandas.Series], "return": Iterator[pandas.Series]}
    return pandas_udf(embed, "array<float>")


def embed_in_arrow(
    model: str | None = None, *, column: str = "text", into: str = "embedding", threads: int = 1, **options: Any
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function for DataFrame.mapInArrow: each batch with one more column, the vectors of `column`.

    The schema to give with it is the table's with one more field, `into` array<float>. Faster than embed_udf, because
    the vectors stay Arrow memory.
    """

    def embed(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        from .parquet import vector_array
        from .runs import Report

        encoder = worker_model(model, threads)
        for batch in batches:
            vectors = vector_array(encoder, batch.column(column).to_pylist(), Report(), options)
            lists = vectors.cast(pyarrow.list_(pyarrow.float32()))
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, lists], names=[*batch.schema.names, into])

    return embed
