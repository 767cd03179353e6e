"""Writes TensorFlow V2 checkpoints for tests: a LevelDB table of protocol buffers beside the raw variables.

Shares no code with the converter, and has its own bit-by-bit CRC-32C. Sources: LevelDB's doc/table_format.md,
tensor_bundle.proto.
"""

import struct
from pathlib import Path

import numpy as np

TABLE_MAGIC = 0xDB4775248B80FB57
TYPES = {"<f4": 1, "<f8": 2, "<i4": 3, "<i8": 9, "<f2": 19}
BFLOAT16 = 14

_table: list[int] = []


def crc32c(data: bytes) -> int:
    """Return the CRC-32C, computed byte by byte."""
    if not _table:
        for value in range(256):
            for _ in range(8):
                value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
            _table.append(value)
    state = 0xFFFFFFFF
    for byte in data:
        state = state >> 8 ^ _table[(state ^ byte) & 255]
    return state ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    """Return the masked CRC-32C, which tables and bundles store."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(value: int) -> bytes:
    """Return a number as a varint, in groups of seven bits."""
    result = b""
    while value >= 128:
        result += bytes([value & 127 | 128])
        value >>= 7
    return result + bytes([value])


def field(number: int, value: int | bytes) -> bytes:
    """Return a protocol buffer field, which is a number or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def entry_message(array: np.ndarray, offset: int, dtype: int | None = None, shard: int = 0) -> bytes:
    """Return a BundleEntryProto. As in protocol buffers, fields that are 0 are left out."""
    data = array.tobytes()
    shape = b"".join(field(2, field(1, size)) for size in array.shape)
    parts = [field(1, dtype or TYPES[array.dtype.str]), field(2, shape)]
    parts += [field(number, value) for number, value in ((3, shard), (4, offset), (5, len(data))) if value]
    return b"".join(parts) + varint(6 << 3 | 5) + struct.pack("<L", masked_crc32c(data))


def block(pairs: list[tuple[bytes, bytes]], restart_every: int = 16) -> bytes:
    """Return a block of a table. It stores the part of each key that differs from the key before it, and the whole key
    at each restart."""
    result, restarts, last = b"", [], b""
    for index, (key, value) in enumerate(pairs):
        shared = 0
        if index % restart_every == 0:
            restarts.append(len(result))
        else:
            while shared < min(len(key), len(last)) and key[shared] == last[shared]:
                shared += 1
        result += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        last = key
    restarts = restarts or [0]
    return result + b"".join(struct.pack("<L", start) for start in restarts + [len(restarts)])


def table(
    pairs: list[tuple[bytes, bytes]],
    *,
    pairs_per_block: int = 20,
    compression: int = 0,
    break_checksum: bool = False,
    magic: int = TABLE_MAGIC,
) -> bytes:
    """Return a whole table. The options make it invalid, for tests of refusals."""
    result, index = b"", []

    def append(content: bytes) -> bytes:
        nonlocal result
        start = len(result)
        checksum = masked_crc32c(content + bytes([compression])) ^ (1 if break_checksum else 0)
        result += content + bytes([compression]) + struct.pack("<L", checksum)
        return varint(start) + varint(len(content))

    for first in range(0, len(pairs), pairs_per_block):
        part = pairs[first : first + pairs_per_block]
        index.append((part[-1][0], append(block(part))))
    footer = append(block([])) + append(block(index, restart_every=1))
    return result + footer.ljust(40, b"\0") + struct.pack("<Q", magic)


def header_message(shards: int = 1, endianness: int = 0) -> bytes:
    """Return a BundleHeaderProto."""
    return field(1, shards) + (field(2, endianness) if endianness else b"") + field(3, field(1, 1))


def write_checkpoint(prefix: Path, variables: dict[str, np.ndarray], shards: int = 1, bfloat16: bool = False) -> None:
    """Write prefix.index and its data files. With bfloat16, uint16 arrays are the bits of BF16."""
    data = [b""] * shards
    pairs = [(b"", header_message(shards))]
    for position, (key, array) in enumerate(sorted(variables.items())):
        shard = position % shards
        dtype = BFLOAT16 if bfloat16 and array.dtype == np.uint16 else None
        pairs.append((key.encode(), entry_message(array, len(data[shard]), dtype, shard)))
        data[shard] += array.tobytes()
    Path(f"{prefix}.index").write_bytes(table(pairs))
    for shard, content in enumerate(data):
        Path(f"{prefix}.data-{shard:05d}-of-{shards:05d}").write_bytes(content)
