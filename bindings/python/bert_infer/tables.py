"""Reads and writes tables one group of rows at a time; needs pyarrow. A file is Parquet or Arrow's IPC, by its
ending."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow
import pyarrow.ipc
import pyarrow.parquet

from .errors import InvalidFileError

ARROW_ENDINGS = (".arrow", ".feather", ".ipc")


class TableFile(NamedTuple):
    schema: Any
    groups: int
    read: Callable[[int], Any]  # a group's rows, a pyarrow.Table


def is_arrow(path: Path) -> bool:
    return path.suffix.lower() in ARROW_ENDINGS


def open_table(path: Path) -> TableFile:
    """Opens a file. A group is a row group of Parquet or a record batch of Arrow."""
    if not is_arrow(path):
        file = pyarrow.parquet.ParquetFile(path)
        return TableFile(file.schema_arrow, file.num_row_groups, file.read_row_group)
    try:
        reader = pyarrow.ipc.open_file(pyarrow.memory_map(str(path)))
    except pyarrow.ArrowInvalid as error:
        raise InvalidFileError(f"{str(path)!r} is not of Arrow's IPC file format (Feather 2): {error}") from error
    return TableFile(
        reader.schema, reader.num_record_batches, lambda group: pyarrow.Table.from_batches([reader.get_batch(group)])
    )


def table_writer(path: Path, file: Any, schema: Any) -> Any:
    """Returns a context that writes tables to `file`, in the format that the ending of `path` says."""
    return pyarrow.ipc.new_file(file, schema) if is_arrow(path) else pyarrow.parquet.ParquetWriter(file, schema)
