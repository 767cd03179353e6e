"""The safetensors format: a strict reader, and the header of a file to be written.

The layout is: N as a little-endian u64 | N bytes of JSON | data. The reader accepts the files that the reference reader
accepts, except those on which readers disagree (duplicate names, unknown keys in an entry). The data must have no gap,
no overlap and no trailing byte.
"""

import dataclasses
import json
import math
import struct

from .errors import ConvertError, quoted
from .source_file import SourceFile
from .strict_json import parse_object
from .tensor import MAX_RANK, NUMPY_TYPES, Tensor

# The format allows 100,000,000. A tensor's entry has about 120 bytes, so this is room for 60,000 of them.
MAX_HEADER_BYTES = 8 * 1024 * 1024
MAX_NAME_BYTES = 1024
MAX_INTEGER = 2**63 - 1
ALIGNMENT_BYTES = 64

# Types of the format that are not supported, for the error message.
_OTHER_TYPES = {
    "F4",
    "F6_E2M3",
    "F6_E3M2",
    "F8_E5M2",
    "F8_E4M3",
    "F8_E8M0",
    "F8_E4M3FNUZ",
    "F8_E5M2FNUZ",
    "U16",
    "U32",
    "U64",
    "C64",
}


def read_safetensors(file: SourceFile) -> list[Tensor]:
    """Return the tensors of file in the order of their data. Checks every rule of the format, but reads no data."""
    where = quoted(file.path)
    if file.size < 8:
        raise ConvertError(f"{where}: {file.size} bytes, a safetensors file has at least 8")
    header_bytes = struct.unpack("<Q", file.read(0, 8))[0]
    if header_bytes > MAX_HEADER_BYTES:
        raise ConvertError(f"{where}: header of {header_bytes} bytes, at most {MAX_HEADER_BYTES} are read")
    if header_bytes > file.size - 8:
        raise ConvertError(f"{where} is truncated at byte {file.size}, expected a header to byte {8 + header_bytes}")
    header = parse_object(file.read(8, header_bytes), f"header of {where}")
    _check_metadata(header.pop("__metadata__", {}), where)
    tensors = [_tensor(name, entry, file, 8 + header_bytes) for name, entry in header.items()]
    tensors.sort(key=lambda t: (t.offset_bytes, t.size_bytes))
    end = 8 + header_bytes
    for tensor in tensors:
        if tensor.offset_bytes != end:
            raise ConvertError(f"{tensor.where()}: begins at byte {tensor.offset_bytes}, expected {end}")
        end += tensor.size_bytes
    if end != file.size:
        raise ConvertError(f"{where}: the data ends at byte {end}, the file at {file.size}")
    return tensors


def _check_metadata(metadata: object, where: str) -> None:
    if metadata is None:
        return
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise ConvertError(f"{where}: '__metadata__' is not a map from string to string")


def _tensor(name: str, entry: object, file: SourceFile, data_start: int) -> Tensor:
    where = f"tensor {quoted(name)} in {quoted(file.path)}"
    if len(name.encode("utf-8")) > MAX_NAME_BYTES:
        raise ConvertError(f"{where}: name longer than {MAX_NAME_BYTES} bytes")
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ConvertError(f"{where}: an entry has exactly dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in NUMPY_TYPES:
        known = "cannot be converted" if isinstance(dtype, str) and dtype in _OTHER_TYPES else "is unknown"
        raise ConvertError(f"{where}: type {quoted(dtype)} {known}")
    if not _is_integers(shape) or len(shape) > MAX_RANK:
        raise ConvertError(f"{where}: shape {quoted(shape)} is not a list of at most {MAX_RANK} sizes")
    if not _is_integers(offsets) or len(offsets) != 2:
        raise ConvertError(f"{where}: data_offsets {quoted(offsets)} are not two integers")
    begin, end = offsets
    needed = math.prod(shape) * NUMPY_TYPES[dtype].itemsize
    if end - begin != needed:
        raise ConvertError(f"{where}: data_offsets {offsets} are {end - begin} bytes, {dtype} {shape} has {needed}")
    if end > file.size - data_start:
        raise ConvertError(f"{where}: file is truncated at byte {file.size}, expected {data_start + end}")
    return Tensor(name, dtype, tuple(shape), file, data_start + begin)


def _is_integers(value: object) -> bool:
    return isinstance(value, list) and all(type(item) is int and 0 <= item <= MAX_INTEGER for item in value)


@dataclasses.dataclass(frozen=True)
class Entry:
    """One tensor of a file to be written."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def size_bytes(self) -> int:
        """The bytes of the tensor's data."""
        return math.prod(self.shape) * NUMPY_TYPES[self.dtype].itemsize


def layout_order(entry: Entry) -> tuple[bool, int, str]:
    """Return the sort key of a tensor in a file.

    The data begin at a multiple of 64 bytes, and tensors whose size is a multiple of 64 come first, so each of these
    begins at a multiple of 64. The few others (a bias of two labels, say) follow, wide types first, each at a multiple
    of its element's size. Padding tensors could align these to 64 bytes too, but other readers refuse tensors that they
    do not know.
    """
    return entry.size_bytes % ALIGNMENT_BYTES != 0, -NUMPY_TYPES[entry.dtype].itemsize, entry.name


def header_of(entries: list[Entry]) -> bytes:
    """Return everything before the data of a file that holds entries in this order, padded to ALIGNMENT_BYTES."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    end = 0
    for entry in entries:
        header[entry.name] = {
            "dtype": entry.dtype,
            "shape": list(entry.shape),
            "data_offsets": [end, end + entry.size_bytes],
        }
        end += entry.size_bytes
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-(8 + len(text)) % ALIGNMENT_BYTES)
    return struct.pack("<Q", len(text)) + text
