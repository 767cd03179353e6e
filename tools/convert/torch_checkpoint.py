"""Reads the tensors of a torch state dict from either of its containers: the zip archive (torch 1.6 and newer) and the
legacy file.

A legacy file has five pickles in a row: a magic number, the protocol, a dict about the machine, the object, and the
storage keys. Then it has for each key the number of elements as int64, and the raw numbers.
"""

import math
import struct
from collections.abc import Callable
from typing import Any

from .errors import ConvertError, quoted
from .pickle_reader import MAX_PICKLE_BYTES, read_pickle
from .source_file import SourceFile
from .tensor import NUMPY_TYPES, Tensor, is_row_major
from .torch_nodes import Storage, TensorNode
from .zip_archive import ZipEntry, read_zip

LEGACY_MAGIC = bytes.fromhex("80028a0a6cfc9c46f9206aa850192e")
_LEGACY_PROTOCOL = 1001
_WRAPPERS = ("state_dict", "model")
_OTHER_ENTRIES = ("version", "byteorder", ".data/serialization_id", ".format_version", ".storage_alignment")

# Tensors with stride 0 repeat the same numbers. All tensors together may have so many times the file's size.
_MAX_GROWTH = 4


def read_torch_zip(file: SourceFile, on_bytes: Callable[[int], None]) -> tuple[list[Tensor], list[str]]:
    """Return the tensors of a torch zip archive, and notes for the user. Calls on_bytes with the number of bytes that
    were verified."""
    entries = read_zip(file, on_bytes)
    where = quoted(file.path)
    roots = {name.split("/", 1)[0] for name in entries}
    if len(roots) != 1:
        raise ConvertError(f"{where} has {len(roots)} top folders, a torch archive has one")
    inner = {name.partition("/")[2]: entry for name, entry in entries.items()}
    _check_entries(inner, file)
    pickle = inner["data.pkl"]
    if pickle.size > MAX_PICKLE_BYTES:
        raise ConvertError(f"{where}: 'data.pkl' has {pickle.size} bytes, at most {MAX_PICKLE_BYTES} are read")
    root, end = _pickle(file, "data.pkl", file.read(pickle.data_start, pickle.size))
    if end != pickle.size:
        raise ConvertError(f"{where}: 'data.pkl' has {pickle.size - end} bytes after its end")

    def start_of(storage: Storage, size_bytes: int) -> int:
        entry = inner.get("data/" + storage.key)
        if entry is None:
            raise ConvertError(f"{where}: storage {quoted(storage.key)} is not in the archive")
        if entry.size != size_bytes:
            raise ConvertError(f"{where}: storage {quoted(storage.key)} has {entry.size} bytes, expected {size_bytes}")
        return entry.data_start

    return _tensors(root, file, start_of)


def _check_entries(inner: dict[str, ZipEntry], file: SourceFile) -> None:
    where = quoted(file.path)
    if "constants.pkl" in inner or any(name.startswith("code/") for name in inner):
        raise ConvertError(f"{where} is a TorchScript program, not a state dict")
    for name in inner:
        key = name.removeprefix("data/")
        is_storage = key != name and key.isascii() and key.isdigit()
        if not is_storage and name != "data.pkl" and name not in _OTHER_ENTRIES:
            raise ConvertError(f"{where}: entry {quoted(name)} does not belong in a state dict")
    for name in ("data.pkl", "version"):
        if name not in inner:
            raise ConvertError(f"{where}: entry '{name}' is missing, this is no torch archive")
    order = inner.get("byteorder")
    if order is not None:
        stored = file.read(order.data_start, min(order.size, 16))
        if stored != b"little":
            raise ConvertError(f"{where}: byte order {quoted(stored.decode('ascii', 'replace'))}, expected 'little'")


def read_torch_legacy(file: SourceFile) -> tuple[list[Tensor], list[str]]:
    """Return the tensors of a legacy torch file, and notes for the user."""
    where = quoted(file.path)
    position = len(LEGACY_MAGIC)

    def next_part(part: str) -> Any:
        nonlocal position
        value, end = _pickle(file, part, file.read(position, min(MAX_PICKLE_BYTES, file.size - position)))
        position += end
        return value

    # Each part is checked before the next is read, so that only one part is in memory.
    protocol = next_part("protocol")
    if protocol != _LEGACY_PROTOCOL or type(protocol) is not int:
        raise ConvertError(f"{where}: legacy protocol is not {_LEGACY_PROTOCOL}")
    system = next_part("system information")
    if not isinstance(system, dict) or system.get("little_endian") is not True:
        raise ConvertError(f"{where}: written on a big-endian machine, or the system information is malformed")
    del system
    root, keys = next_part("state dict"), next_part("storage keys")
    if type(keys) is not list or not all(type(key) is str for key in keys) or len(set(keys)) != len(keys):
        raise ConvertError(f"{where}: storage keys are not a list of different strings")
    starts = _legacy_storages(file, position, keys, _storages(root, file))

    def start_of(storage: Storage, size_bytes: int) -> int:
        return starts[storage.key]

    return _tensors(root, file, start_of)


def _legacy_storages(file: SourceFile, position: int, keys: list[str], used: dict[str, Storage]) -> dict[str, int]:
    """Return the start of each storage. Raises ConvertError unless the storages fill the file to its last byte."""
    where = quoted(file.path)
    starts: dict[str, int] = {}
    for key in keys:
        if key not in used:
            # Only a tensor tells the type of a storage, and without the type the start of the next storage is unknown.
            raise ConvertError(f"{where}: storage {quoted(key)} is used by no tensor")
        elements = struct.unpack("<q", file.read(position, 8))[0]
        storage = used[key]
        if elements != storage.stored_elements:
            raise ConvertError(
                f"{where}: storage {quoted(key)} has {elements} elements, expected {storage.stored_elements}"
            )
        starts[key] = position + 8
        position += 8 + elements * _item_bytes(storage)
        if position > file.size:
            raise ConvertError(f"{where} is truncated at byte {file.size}, expected {position}")
    for key in used:
        if key not in starts:
            raise ConvertError(f"{where}: storage {quoted(key)} is not in the file")
    if position != file.size:
        raise ConvertError(f"{where}: the data ends at byte {position}, the file at {file.size}")
    return starts


def _storages(root: Any, file: SourceFile) -> dict[str, Storage]:
    """Return all storages, by key, that root reaches through dicts, lists and tuples (without cycles)."""
    storages: dict[str, Storage] = {}
    seen: set[int] = set()
    work = [root]
    while work:
        node = work.pop()
        if isinstance(node, (dict, list, tuple)):
            if id(node) not in seen:
                seen.add(id(node))
                work.extend(node.values() if isinstance(node, dict) else node)
            continue
        storage = node.storage if isinstance(node, TensorNode) else node
        if isinstance(storage, Storage):
            known = storages.setdefault(storage.key, storage)
            if (known.dtype, known.stored_elements) != (storage.dtype, storage.stored_elements):
                raise ConvertError(f"{quoted(file.path)}: storage {quoted(storage.key)} is given two types or sizes")
    return storages


def _pickle(file: SourceFile, part: str, data: bytes) -> tuple[Any, int]:
    try:
        return read_pickle(data, legacy=part != "data.pkl")
    except ConvertError as error:
        raise ConvertError(f"{part} of {quoted(file.path)}: {error}") from None


def _item_bytes(storage: Storage) -> int:
    return NUMPY_TYPES[storage.dtype].itemsize if storage.dtype else 1


def _tensors(root: Any, file: SourceFile, start_of: Callable[[Storage, int], int]) -> tuple[list[Tensor], list[str]]:
    """Turn the object of a file into tensors. start_of returns the place of a storage with so many bytes."""
    where = quoted(file.path)
    notes: list[str] = []
    if not isinstance(root, dict):
        raise ConvertError(f"{where} holds no dict of tensors")
    for wrapper in _WRAPPERS:
        if isinstance(root.get(wrapper), dict):
            notes += [f"{where}: {quoted(key)} beside '{wrapper}' is not read" for key in root if key != wrapper]
            root = root[wrapper]
            break
    _storages(root, file)
    tensors = []
    for name, node in root.items():
        if not isinstance(node, TensorNode):
            notes.append(f"{where}: {quoted(name)} is no tensor and is not read")
            continue
        storage, item_bytes = node.storage, NUMPY_TYPES[node.dtype].itemsize
        start = start_of(storage, storage.stored_elements * _item_bytes(storage))
        offset_bytes = start + storage.first * _item_bytes(storage) + node.offset * item_bytes
        strides = None if is_row_major(node.shape, node.strides) else node.strides
        tensors.append(Tensor(name, node.dtype, node.shape, file, offset_bytes, strides))
    filled = sum(math.prod(tensor.shape) * NUMPY_TYPES[tensor.dtype].itemsize for tensor in tensors)
    if filled > _MAX_GROWTH * file.size:
        raise ConvertError(
            f"{where}: tensors fill {filled} bytes, more than {_MAX_GROWTH} times the file's {file.size}"
        )
    return tensors, notes
