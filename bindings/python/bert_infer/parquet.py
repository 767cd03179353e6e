"""Adds vectors of a column to a Parquet or Arrow file, one row group after another; needs the package pyarrow.

The ending of a file's name decides the format: .arrow, .feather and .ipc are Arrow's IPC file format, all others are
Parquet. For Arrow, a record batch is a row group. A run writes each finished row group to its own file in OUTPUT.parts.
The file gets its name only when it is complete and on the disk. At the end the files are joined to OUTPUT, and the
folder is removed. A run that was killed at any moment continues with `resume`: it computes the row groups that have no
file. A run that would mix the vectors of two models or inputs is refused: the journal has a digest of the model and its
options, and each part has a digest of its texts.
"""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from .errors import InvalidArgumentError, InvalidFileError
from .model import Model
from .runs import Progress, Report
from .tables import open_table, table_writer

Summary = dict[str, Any]

# Keys in the metadata of written files: the digest of a part's texts, a part's counts, and the shard of a file.
TEXTS_KEY, COUNTS_KEY, SHARD_KEY = b"bert_infer.texts", b"bert_infer.counts", b"bert_infer.shard"


def vector_array(model: Model, texts: Sequence[str | None], report: Report, options: dict[str, Any]) -> Any:
    """Returns the vectors of texts as an Arrow array of fixed-size lists. A null or a failed text has a null."""
    import numpy as np

    vectors = model.encode_reported(texts, report, **options)
    missing = np.isnan(vectors[:, 0])
    values = pyarrow.array(vectors.reshape(-1))
    return pyarrow.FixedSizeListArray.from_arrays(values, type=list_type(vectors.shape[1]), mask=pyarrow.array(missing))


def list_type(size: int) -> Any:
    """Returns the type of a column of vectors. The list's items have the name that Parquet gives them."""
    return pyarrow.list_(pyarrow.field("element", pyarrow.float32()), size)


def embed(
    model: Model,
    source: Path,
    target: Path,
    *,
    column: str = "text",
    into: str = "embedding",
    shard: tuple[int, int] = (0, 1),
    resume: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Summary:
    """Writes `source` to `target` with one more column, the vectors of `column`.

    shard: (index, count): only this share of the row groups is computed; merge() joins the shards. options: arguments
    of Model.encode. Returns a summary: texts, the nulls among them, tokens, truncated_texts, failed, seconds, and the
    digest of all vectors.
    """
    begin = time.monotonic()
    file = open_table(source)
    if column not in file.schema.names:
        raise InvalidArgumentError(f"no column {column!r} in {str(source)!r}, which has {file.schema.names}")
    if into in file.schema.names:
        raise InvalidArgumentError(f"a column {into!r} is in {str(source)!r} already")
    parts = _open_parts(
        target,
        {
            "model": model_digest(model),
            "options": options,
            "column": column,
            "into": into,
            "shard": shard,
            "row_groups": file.groups,
        },
        resume,
    )
    groups = range(file.groups * shard[0] // shard[1], file.groups * (shard[0] + 1) // shard[1])
    for group in groups:
        table = file.read(group)
        texts = table[column].to_pylist()
        digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest().encode()
        part = parts / f"{group:08}.parquet"
        if part.exists():
            if pyarrow.parquet.read_schema(part).metadata[TEXTS_KEY] != digest:
                raise InvalidFileError(
                    f"{str(part)!r} has the vectors of other texts than row group {group} of "
                    f"{str(source)!r}: the input has changed; remove {str(parts)!r} to begin again"
                )
        else:
            report = Report()
            table = table.append_column(into, vector_array(model, texts, report, options))
            counts = {
                "texts": len(texts),
                "tokens": report.tokens,
                "truncated_texts": report.truncated_texts,
                "nulls": report.nulls,
                "failed": len(report.failures),
            }
            keys = {TEXTS_KEY: digest, COUNTS_KEY: json.dumps(counts).encode()}
            write_table(table.replace_schema_metadata({**(table.schema.metadata or {}), **keys}), part)
        if progress:
            progress.add(len(texts))
    if progress:
        progress.finish()
    schema = file.schema.append(pyarrow.field(into, _vector_type(model, options)))
    summary = _join([parts / f"{group:08}.parquet" for group in groups], target, into, schema, shard)
    shutil.rmtree(parts)
    return {**summary, "seconds": round(time.monotonic() - begin, 3)}


def merge(shards: Sequence[Path], target: Path, into: str = "embedding") -> Summary:
    """Joins the results of all shards of one input. The result is in the input's order, whatever the order of
    `shards`."""
    if not shards:
        raise InvalidArgumentError("no shards to merge")
    by_index: dict[int, Path] = {}
    counts = set()
    for path in shards:
        index, count = json.loads((open_table(path).schema.metadata or {}).get(SHARD_KEY, b"[0, 1]"))
        counts.add(count)
        if by_index.setdefault(index, path) != path:
            raise InvalidArgumentError(f"{str(path)!r} and {str(by_index[index])!r} are both shard {index + 1}")
    missing = sorted(set(range(max(counts))) - set(by_index))
    if len(counts) != 1 or missing:
        raise InvalidArgumentError(f"shards of {sorted(counts)}, without number {[index + 1 for index in missing]}")
    schema = open_table(shards[0]).schema
    return _join([by_index[index] for index in sorted(by_index)], target, into, schema, (0, 1))


def model_digest(model: Model) -> str:
    """Returns a digest of the model's files, or of the built-in model's version, and of how the model computes."""
    from . import __version__

    description = model.describe()
    digest = hashlib.sha256(f"{__version__} {description['precision']} {description['arithmetic']}".encode())
    if not description["is_builtin"]:
        for path in sorted(Path(description["source"]).rglob("*")):
            if path.suffix in (".json", ".safetensors", ".txt", ".model"):
                digest.update(path.name.encode())
                with open(path, "rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def write_table(table: Any, path: Path) -> None:
    """Writes a file that gets its name only when it is complete and on the disk."""
    partial = path.with_name(path.name + ".partial")
    with open(partial, "wb") as file:
        pyarrow.parquet.write_table(table, file)
        file.flush()
        os.fsync(file.fileno())
    _rename(partial, path)


def _vector_type(model: Model, options: dict[str, Any]) -> Any:
    size = min(model.embedding_size(), options.get("truncate_dim") or model.embedding_size())
    return list_type(size)


def _open_parts(target: Path, journal: dict[str, Any], resume: bool) -> Path:
    """Returns the folder of finished row groups, in which the journal of this run is written."""
    parts = target.with_name(target.name + ".parts")
    path = parts / "journal.json"
    expected = json.loads(json.dumps(journal))
    if path.exists():
        if not resume:
            raise InvalidArgumentError(f"{str(parts)!r} is there: resume the run that left it, or remove it")
        written = json.loads(path.read_text(encoding="utf-8"))
        different = [key for key in expected if written.get(key) != expected[key]]
        if different:
            raise InvalidArgumentError(f"the run that left {str(parts)!r} had another {', '.join(different)}")
        return parts
    parts.mkdir(exist_ok=True)
    partial = path.with_name("journal.partial")
    partial.write_text(json.dumps(expected), encoding="utf-8")
    _rename(partial, path)
    return parts


def _join(paths: Sequence[Path], target: Path, into: str, schema: Any, shard: tuple[int, int]) -> Summary:
    """Joins files in their order, one row group at a time."""
    totals = dict.fromkeys(("texts", "tokens", "truncated_texts", "nulls", "failed"), 0)
    digest = hashlib.sha256()
    partial = target.with_name(target.name + ".partial")
    for path in paths:
        counts = json.loads(open_table(path).schema.metadata[COUNTS_KEY])
        totals = {key: value + counts[key] for key, value in totals.items()}
    keys = {COUNTS_KEY: json.dumps(totals).encode(), SHARD_KEY: json.dumps(shard).encode()}
    metadata: dict[bytes, bytes] = schema.metadata or {}
    schema = schema.with_metadata({**metadata, **keys})
    with open(partial, "wb") as file:
        with table_writer(target, file, schema) as writer:
            for table in _row_groups(paths):
                digest.update(table[into].combine_chunks().flatten().to_numpy(zero_copy_only=False).tobytes())
                writer.write_table(table.replace_schema_metadata(schema.metadata))
        file.flush()
        os.fsync(file.fileno())
    _rename(partial, target)
    return {**totals, "digest": digest.hexdigest()}


def _row_groups(paths: Sequence[Path]) -> Iterator[Any]:
    for path in paths:
        file = open_table(path)
        for group in range(file.groups):
            yield file.read(group)


def _rename(partial: Path, path: Path) -> None:
    os.replace(partial, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
