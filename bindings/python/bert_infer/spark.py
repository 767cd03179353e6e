"""Vectors in Spark; needs the packages pyspark, pandas and pyarrow.

Each Python worker loads the model once. The workers of a machine share the weights, which are mapped files. The rows
have the same bits as those of a single process, also when a task is retried, and on executors with other CPUs.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from .hub import Source
from .model import Model, load_again
from .runs import Report

__all__ = ["embed_in_arrow", "embed_udf"]


@lru_cache(maxsize=1)
def worker_model(source: Source) -> Model:
    """Returns the model of this Python worker; loads it once. The workers of a machine share the pages of its files."""
    return load_again(Model, replace(source, packing="never"))


def embed_udf(
    model: str | None = None,
    *,
    threads: int = 1,
    precision: str = "stored",
    revision: str = "main",
    task: str | None = None,
    **options: Any,
) -> Any:
    """Returns a column function that turns a column of texts into arrays of floats.

        vectors = table.withColumn("embedding", embed_udf("path/to/model")("text"))

    model, precision, revision, task: arguments of bert_infer.Model, the same on every machine. threads: for each
    worker; Spark runs a worker for each core of an executor. options: prompt_name, prompt, normalize_embeddings,
    truncate_dim and max_length of Model.encode. A null stays null; a text that fails becomes a null. The worker's log
    has their numbers.
    """
    import numpy
    import pandas
    from pyspark.sql.functions import pandas_udf

    source = Source(model, threads, precision, revision, task)

    def embed(batches: Iterator[pandas.Series]) -> Iterator[pandas.Series]:
        encoder = worker_model(source)
        for texts in batches:
            report = Report()
            listed = texts.astype(object).where(texts.notna(), None).tolist()
            vectors = encoder.encode_reported(listed, report, **options)
            report.notify()
            rows = pandas.Series(list(vectors), index=texts.index, dtype=object)
            yield rows.where(~numpy.isnan(vectors[:, 0]), None)

    # Spark reads the annotations' types.
    embed.__annotations__ = {"batches": Iterator[pandas.Series], "return": Iterator[pandas.Series]}
    return pandas_udf(embed, "array<float>")


def embed_in_arrow(
    model: str | None = None,
    *,
    column: str = "text",
    into: str = "embedding",
    threads: int = 1,
    precision: str = "stored",
    revision: str = "main",
    task: str | None = None,
    **options: Any,
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Returns a function for DataFrame.mapInArrow that adds a column to each batch, the vectors of `column`.

    The schema for mapInArrow is the table's with one more field, `into` array<float>. This is faster than embed_udf,
    because the vectors stay in Arrow memory.
    """

    source = Source(model, threads, precision, revision, task)

    def embed(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        from .parquet import vector_array

        encoder = worker_model(source)
        for batch in batches:
            report = Report()
            vectors = vector_array(encoder, batch.column(column).to_pylist(), report, options)
            report.notify()
            lists = vectors.cast(pyarrow.list_(pyarrow.float32()))
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, lists], names=[*batch.schema.names, into])

    return embed
