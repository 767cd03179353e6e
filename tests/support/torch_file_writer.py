"""Writes torch files of both containers from opcodes, valid or broken on purpose. Uses neither torch nor pickle.

Each function returns bytes. Layouts: APPNOTE 6.3 for the zip archive; pickletools' documentation for the opcodes.
"""

import dataclasses
import struct
import zlib

import numpy as np

LEGACY_MAGIC = bytes.fromhex("80028a0a6cfc9c46f9206aa850192e")
STORAGES = {
    "<f4": "FloatStorage",
    "<f2": "HalfStorage",
    "<f8": "DoubleStorage",
    "<i8": "LongStorage",
    "<i4": "IntStorage",
}


# The functions up to pickled() return opcodes.


def text(value: str) -> bytes:
    """Return a string."""
    data = value.encode("utf-8")
    return b"X" + struct.pack("<L", len(data)) + data


def number(value: int) -> bytes:
    """Return an integer of at most 8 bytes."""
    if -(2**31) <= value < 2**31:
        return b"J" + struct.pack("<l", value)
    data = value.to_bytes(9, "little", signed=True)
    return b"\x8a\x09" + data if value >= 2**63 else b"\x8a\x08" + data[:8]


def name(full_name: str) -> bytes:
    """Return a global, given by its module and name."""
    module, _, attribute = full_name.rpartition(".")
    return f"c{module}\n{attribute}\n".encode()


def tuple_of(*parts: bytes) -> bytes:
    """Return a tuple of any length."""
    return b"(" + b"".join(parts) + b"t"


def dict_of(*pairs: tuple[str, bytes]) -> bytes:
    """Return a dict with string keys."""
    return b"}(" + b"".join(text(key) + value for key, value in pairs) + b"u"


def call(full_name: str, *arguments: bytes) -> bytes:
    """Return a call of a global."""
    return name(full_name) + tuple_of(*arguments) + b"R"


ORDERED_DICT = name("collections.OrderedDict") + b")R"


def storage(key: str = "0", elements: int = 4, kind: str = "torch.FloatStorage", legacy: bool = False) -> bytes:
    """Return a reference to a storage."""
    parts = [text("storage"), name(kind), text(key), text("cpu"), number(elements)]
    return tuple_of(*parts, *([b"N"] if legacy else [])) + b"Q"


def tensor(source: bytes, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> bytes:
    """Return a tensor over a storage."""
    return call(
        "torch._utils._rebuild_tensor_v2",
        source,
        number(offset),
        tuple_of(*map(number, shape)),
        tuple_of(*map(number, strides)),
        b"\x89",
        ORDERED_DICT,
    )


def pickled(body: bytes) -> bytes:
    """Return a whole pickle of protocol 2."""
    return b"\x80\x02" + body + b"."


# Zip archives.


@dataclasses.dataclass
class Entry:
    """An entry of an archive. A value that is not None replaces the true one in the local header or in the directory.
    """

    name: bytes
    data: bytes
    local_name: bytes | None = None
    crc32: int | None = None
    method: int = 0
    flags: int = 0
    local_flags: int | None = None
    size: int | None = None
    stored: int | None = None
    start: int | None = None
    local_size: int | None = None
    disk: int = 0
    extra: bytes = b""
    gap: bytes = b""
    in_directory: int = 1
    described: bool = False


def zip_archive(
    entries: list[Entry],
    *,
    align: int = 64,
    comment: bytes = b"",
    prefix: bytes = b"",
    before_directory: bytes = b"",
    after_directory: bytes = b"",
    zip64: bool = False,
    **end: int,
) -> bytes:
    """Return an archive. end: fields of the end record that are replaced: disk, directory_disk, disk_entries, count,
    size, start."""
    result = bytearray(prefix)
    directory = bytearray()
    for entry in entries:
        start = len(result)
        crc32 = zlib.crc32(entry.data) if entry.crc32 is None else entry.crc32
        flags = entry.flags | (8 if entry.described else 0)
        local_name = entry.name if entry.local_name is None else entry.local_name
        padding = -(start + 34 + len(local_name)) % align
        extra = struct.pack("<2H", 0x4246, padding) + b"Z" * padding
        local_size = len(entry.data) if entry.local_size is None else entry.local_size
        known = (0, 0, 0) if entry.described else (crc32, local_size, local_size)
        result += struct.pack(
            "<4s5H3L2H",
            b"PK\3\4",
            20,
            flags if entry.local_flags is None else entry.local_flags,
            entry.method,
            0,
            0,
            *known,
            len(local_name),
            len(extra),
        )
        result += local_name + extra + entry.data
        if entry.described:
            result += struct.pack("<4s3L", b"PK\7\x08", crc32, len(entry.data), len(entry.data))
        result += entry.gap
        size = len(entry.data) if entry.size is None else entry.size
        stored = size if entry.stored is None else entry.stored
        directory += entry.in_directory * (
            struct.pack(
                "<4s6H3L5H2L",
                b"PK\1\2",
                20,
                20,
                flags,
                entry.method,
                0,
                0,
                crc32,
                stored,
                size,
                len(entry.name),
                len(entry.extra),
                0,
                entry.disk,
                0,
                0,
                start if entry.start is None else entry.start,
            )
            + entry.name
            + entry.extra
        )
    result += before_directory
    directory_start = len(result)
    count = sum(entry.in_directory for entry in entries)
    result += directory + after_directory
    if zip64:
        result += struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 20, 45, 0, 0, count, count, len(directory), directory_start)
        result += struct.pack("<4sLQL", b"PK\6\7", 0, directory_start + len(directory), 1)
    fields = {
        "disk": 0,
        "directory_disk": 0,
        "disk_entries": count,
        "count": count,
        "size": len(directory),
        "start": directory_start,
    } | end
    result += struct.pack("<4s4H2LH", b"PK\5\6", *fields.values(), len(comment)) + comment
    return bytes(result)


def torch_entries(pickle: bytes, storages: dict[str, bytes], root: str = "archive") -> list[Entry]:
    """Return the entries of a torch archive."""
    folder = root.encode() + b"/"
    return [
        Entry(folder + b"data.pkl", pickle),
        Entry(folder + b"byteorder", b"little"),
        *(Entry(folder + b"data/" + key.encode(), data) for key, data in storages.items()),
        Entry(folder + b"version", b"3\n"),
    ]


def torch_zip(pickle: bytes, storages: dict[str, bytes], **options: object) -> bytes:
    """Return a torch archive with this pickle."""
    return zip_archive(torch_entries(pickle, storages), **options)


def _state_dict(arrays: dict[str, np.ndarray], legacy: bool) -> bytes:
    pairs = []
    for index, (key, array) in enumerate(arrays.items()):
        kind = "torch." + STORAGES[array.dtype.str]
        strides = tuple(step // array.itemsize for step in np.ascontiguousarray(array).strides) if array.ndim else ()
        pairs.append((key, tensor(storage(str(index), array.size, kind, legacy), array.shape, strides)))
    return pickled(dict_of(*pairs))


def torch_zip_of(arrays: dict[str, np.ndarray]) -> bytes:
    """Return a well-formed archive of these arrays."""
    return torch_zip(_state_dict(arrays, legacy=False), {str(i): a.tobytes() for i, a in enumerate(arrays.values())})


# Legacy files.


def legacy_file(
    pickle: bytes,
    storages: dict[str, tuple[int, bytes]],
    *,
    protocol: bytes = pickled(b"M\xe9\x03"),
    little_endian: bool = True,
    keys: bytes | None = None,
) -> bytes:
    """Return a legacy file. storages: the announced number of elements and the raw numbers of each storage, by its key.
    """
    system = pickled(
        dict_of(
            ("protocol_version", b"M\xe9\x03"),
            ("little_endian", b"\x88" if little_endian else b"\x89"),
            ("type_sizes", dict_of(("short", b"K\x02"), ("int", b"K\x04"), ("long", b"K\x04"))),
        )
    )
    if keys is None:
        keys = pickled(b"](" + b"".join(map(text, storages)) + b"e")
    data = b"".join(struct.pack("<q", elements) + raw for elements, raw in storages.values())
    return LEGACY_MAGIC + protocol + system + pickle + keys + data


def legacy_file_of(arrays: dict[str, np.ndarray]) -> bytes:
    """Return a well-formed legacy file of these arrays."""
    return legacy_file(
        _state_dict(arrays, legacy=True), {str(i): (a.size, a.tobytes()) for i, a in enumerate(arrays.values())}
    )
