"""Reads a TensorFlow checkpoint of the V2 format: NAME.index, which is a LevelDB table of protocol buffers, and
NAME.data-0000i-of-0000n.

Only files of TensorFlow 1 are supported: variables by name, uncompressed tables, little endian. Checksums are verified.
Sources: LevelDB doc/table_format.md; tensorflow/core/protobuf/tensor_bundle.proto and tensor_bundle.h.
"""

import dataclasses
import math
import struct
from collections.abc import Iterator

from . import crc32c
from .errors import ConvertError, quoted
from .source_file import SourceFile
from .tensor import MAX_RANK, NUMPY_TYPES, Tensor

MAX_INDEX_BYTES = 16 * 1024 * 1024
MAX_SHARDS = 1_000
MAX_NAME_BYTES = 1024
_FOOTER_BYTES = 48
_TABLE_MAGIC = bytes.fromhex("57fb808b247547db")
_BLOCK_TRAILER_BYTES = 5
_BUNDLE_TYPES = {1: "F32", 2: "F64", 3: "I32", 4: "U8", 5: "I16", 6: "I8", 9: "I64", 10: "BOOL", 14: "BF16", 19: "F16"}


def is_table(file: SourceFile) -> bool:
    """Tell whether the file ends as a LevelDB table does."""
    return file.size >= _FOOTER_BYTES and file.read(file.size - 8, 8) == _TABLE_MAGIC


@dataclasses.dataclass(frozen=True)
class _Variable:
    """One entry of the index, a BundleEntryProto."""

    name: str
    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    masked_crc32c: int


def read_bundle(index_path: str) -> tuple[list[Tensor], list[SourceFile]]:
    """Return the variables of the checkpoint with this index, and the files that hold them. Reads no variable yet."""
    index = SourceFile(index_path)
    try:
        shard_count, variables = _read_index(index)
    except ConvertError as error:
        raise ConvertError(f"TensorFlow index {quoted(index_path)}: {error}") from None
    finally:
        index.close()
    prefix = index_path.removesuffix(".index")
    used = sorted({variable.shard for variable in variables})
    shards = {shard: SourceFile(f"{prefix}.data-{shard:05d}-of-{shard_count:05d}") for shard in used}
    return [_tensor(variable, shards[variable.shard]) for variable in variables], list(shards.values())


def _tensor(variable: _Variable, file: SourceFile) -> Tensor:
    where = f"variable {quoted(variable.name)} in {quoted(file.path)}"
    dtype = _BUNDLE_TYPES.get(variable.dtype)
    if dtype is None:
        raise ConvertError(f"{where}: TensorFlow type {variable.dtype} cannot be converted")
    needed = math.prod(variable.shape) * NUMPY_TYPES[dtype].itemsize
    if variable.size != needed:
        raise ConvertError(f"{where}: {variable.size} bytes, {dtype} {list(variable.shape)} has {needed}")
    if variable.offset + variable.size > file.size:
        raise ConvertError(
            f"{where}: file is truncated at byte {file.size}, expected {variable.offset + variable.size}"
        )
    return Tensor(variable.name, dtype, variable.shape, file, variable.offset, masked_crc32c=variable.masked_crc32c)


def _read_index(index: SourceFile) -> tuple[int, list[_Variable]]:
    if not is_table(index):
        raise ConvertError("does not end as a LevelDB table")
    if index.size > MAX_INDEX_BYTES:
        raise ConvertError(f"{index.size} bytes, at most {MAX_INDEX_BYTES} are read")
    footer = index.read(index.size - _FOOTER_BYTES, _FOOTER_BYTES)
    metadata, position = _handle(footer, 0)
    root, _ = _handle(footer, position)
    shard_count = 0
    variables: list[_Variable] = []
    last = None
    for _, handle in _entries(_block(index, root)):
        for key, value in _entries(_block(index, _handle(handle, 0)[0])):
            if last is not None and key <= last:
                raise ConvertError(f"key {quoted(key)} is a duplicate or out of order")
            last = key
            if key:
                variables.append(_variable(key, value, shard_count))
            else:
                shard_count = _shard_count(value)
    _block(index, metadata)  # Its content is not used, but its checksum detects a damaged file.
    if not shard_count:
        raise ConvertError("has no header")
    return shard_count, variables


# LevelDB table


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            raise ConvertError("number is cut short")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >= 2**64:
                break
            return value, position
    raise ConvertError("number is longer than 64 bits")


def _handle(data: bytes, position: int) -> tuple[tuple[int, int], int]:
    offset, position = _varint(data, position)
    size, position = _varint(data, position)
    return (offset, size), position


def _block(index: SourceFile, handle: tuple[int, int]) -> bytes:
    offset, size = handle
    if offset + size + _BLOCK_TRAILER_BYTES > index.size:
        raise ConvertError(f"block at byte {offset} is truncated at byte {index.size}")
    data = index.read(offset, size + _BLOCK_TRAILER_BYTES)
    stored = struct.unpack("<L", data[-4:])[0]
    checksum = crc32c.masked(crc32c.extend(0, data[:-4]))
    if checksum != stored:
        raise ConvertError(f"block at byte {offset}: checksum {checksum:08x}, expected {stored:08x}")
    if data[size]:
        raise ConvertError(f"block at byte {offset} is compressed (type {data[size]}), expected an uncompressed table")
    return data[:size]


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the (key, value) pairs of a block. Each key is stored as its difference from the previous key."""
    restarts = struct.unpack("<L", block[-4:])[0] if len(block) >= 4 else 0
    end = len(block) - 4 * (restarts + 1)
    if end < 0 or restarts < 1:
        raise ConvertError("block has no valid restart array")
    key = b""
    position = 0
    while position < end:
        shared, position = _varint(block, position)
        fresh, position = _varint(block, position)
        size, position = _varint(block, position)
        if shared > len(key) or fresh + size > end - position or shared + fresh > MAX_NAME_BYTES:
            raise ConvertError("block entry has impossible lengths")
        key = key[:shared] + block[position : position + fresh]
        yield key, block[position + fresh : position + fresh + size]
        position += fresh + size


# Protocol buffers


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield (field number, value). The value is bytes for a length-delimited field, and a number for others."""
    position = 0
    while position < len(message):
        tag, position = _varint(message, position)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == 0:
            value, position = _varint(message, position)
            yield number, value
            continue
        if wire_type == 2:
            size, position = _varint(message, position)
        else:
            size = {1: 8, 5: 4}.get(wire_type, -1)
        if size < 0 or size > len(message) - position:
            raise ConvertError("protocol buffer is malformed")
        data = message[position : position + size]
        position += size
        yield number, data if wire_type == 2 else int.from_bytes(data, "little")


def _number(value: int | bytes) -> int:
    if not isinstance(value, int) or value >= 2**63:
        raise ConvertError("protocol buffer has a value of the wrong kind")
    return value


def _message(value: int | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise ConvertError("protocol buffer has a value of the wrong kind")
    return value


def _shard_count(value: bytes) -> int:
    fields = dict(_fields(value))
    if _number(fields.get(2, 0)):
        raise ConvertError("big-endian checkpoint, expected little-endian")
    count = _number(fields.get(1, 0))
    if not 1 <= count <= MAX_SHARDS:
        raise ConvertError(f"{count} shards, expected 1 to {MAX_SHARDS}")
    return count


def _variable(key: bytes, value: bytes, shard_count: int) -> _Variable:
    try:
        name = key.decode("utf-8")
    except UnicodeDecodeError:
        raise ConvertError(f"name {quoted(key)} is not UTF-8") from None
    if name == "_CHECKPOINTABLE_OBJECT_GRAPH" or name.endswith("/.ATTRIBUTES/VARIABLE_VALUE"):
        raise ConvertError(f"{quoted(name)}: this is a TensorFlow 2 object checkpoint, only TensorFlow 1 ones are read")
    where = f"variable {quoted(name)}"
    single: dict[int, int | bytes] = {}
    for number, field in _fields(value):
        if number == 7:
            raise ConvertError(f"{where} is stored in slices, which are not read")
        if number in single:
            raise ConvertError(f"{where}: duplicate field {number}")
        single[number] = field
    shard = _number(single.get(3, 0))
    if shard >= shard_count:
        raise ConvertError(f"{where} lies in shard {shard} of {shard_count}")
    return _Variable(
        name,
        _number(single.get(1, 0)),
        _shape(_message(single.get(2, b"")), where),
        shard,
        _number(single.get(4, 0)),
        _number(single.get(5, 0)),
        _number(single.get(6, 0)),
    )


def _shape(message: bytes, where: str) -> tuple[int, ...]:
    """Read a TensorShapeProto. Field 2 repeats a Dim, whose field 1 is its size. Field 3 says that the rank is
    unknown."""
    shape = []
    for number, value in _fields(message):
        if number == 3:
            raise ConvertError(f"{where} has no known rank")
        if number == 2:
            sizes = [_number(size) for field, size in _fields(_message(value)) if field == 1]
            if len(sizes) > 1:
                raise ConvertError(f"{where}: a dimension has two sizes")
            shape.append(sizes[0] if sizes else 0)
    if len(shape) > MAX_RANK:
        raise ConvertError(f"{where} has {len(shape)} dimensions, at most {MAX_RANK} are read")
    return tuple(shape)
