"""The zip container of a torch file, read by rules that exclude ambiguous archives.

Every byte must belong to one entry, to the central directory or to the end records, in this order. Entries must be
stored without compression, and local headers must agree with the directory. Every checksum is verified before an entry
is used. So two readers cannot see different archives in one file. Source: PKWARE APPNOTE 6.3, sections 4.3–4.5.
"""

import dataclasses
import struct
import zlib
from collections.abc import Callable

from .errors import ConvertError, quoted
from .source_file import SourceFile
from .tensor import PIECE_BYTES

MAX_ENTRIES = 4_000
MAX_DIRECTORY_BYTES = 1024 * 1024
MAX_NAME_BYTES = 512

_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64 = struct.Struct("<4sLQL")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_END_SEARCH_BYTES = 65_557
_DATA_DESCRIPTOR_FLAG = 0x0008
_UTF8_FLAG = 0x0800


@dataclasses.dataclass(frozen=True)
class ZipEntry:
    """A stored entry. Its data are at [data_start, data_start + size) of the file."""

    name: str
    data_start: int
    size: int
    crc32: int


@dataclasses.dataclass(frozen=True)
class _Record:
    """An entry of the central directory."""

    name: str
    raw_name: bytes
    flags: int
    crc32: int
    size: int
    header_start: int


def read_zip(file: SourceFile, on_bytes: Callable[[int], None] = lambda count: None) -> dict[str, ZipEntry]:
    """Return the entries of file by name, after verifying their checksums. on_bytes is called with the bytes of each
    step."""
    try:
        directory_start, directory_bytes, count = _find_directory(file)
        records = _read_directory(file.read(directory_start, directory_bytes), count)
        entries = _locate(file, sorted(records, key=lambda r: r.header_start), directory_start)
        for entry in entries:
            _check_crc32(file, entry, on_bytes)
    except ConvertError as error:
        raise ConvertError(f"zip archive {quoted(file.path)}: {error}") from None
    return {entry.name: entry for entry in entries}


def _find_directory(file: SourceFile) -> tuple[int, int, int]:
    """Return (start, bytes, entries) of the central directory, which must end where the end records start."""
    if file.size < _END.size:
        raise ConvertError("no end record")
    end_start = file.size - _END.size
    fields = _END.unpack(file.read(end_start, _END.size))
    if fields[0] != b"PK\5\6":
        raise ConvertError("no end record in the last 22 bytes: cut short, or followed by a comment or other bytes")
    _, disk, directory_disk, disk_entries, count, directory_bytes, directory_start, comment_bytes = fields
    if comment_bytes:
        raise ConvertError("end record announces a comment that is not there")
    if disk or directory_disk:
        raise ConvertError("spread over several disks")
    if disk_entries != count:
        raise ConvertError(f"end record counts {disk_entries} and {count} entries")
    records_start = end_start
    if end_start >= _LOCATOR64.size and file.read(end_start - _LOCATOR64.size, 4) == b"PK\6\7":
        records_start, wide = _find_end64(file, end_start - _LOCATOR64.size)
        for narrow, limit, value in zip(
            (count, directory_bytes, directory_start), (2**16 - 1, 2**32 - 1, 2**32 - 1), wide
        ):
            if narrow not in (value, limit):
                raise ConvertError(f"the two end records disagree: {narrow} and {value}")
        count, directory_bytes, directory_start = wide
    if directory_start + directory_bytes != records_start:
        raise ConvertError(
            f"directory ends at byte {directory_start + directory_bytes}, end records begin at {records_start}"
        )
    if directory_bytes > MAX_DIRECTORY_BYTES or count > MAX_ENTRIES:
        raise ConvertError(
            f"directory of {count} entries, {directory_bytes} bytes: at most {MAX_ENTRIES} entries, "
            f"{MAX_DIRECTORY_BYTES} bytes are read"
        )
    _refuse_second_end(file, end_start)
    return directory_start, directory_bytes, count


def _find_end64(file: SourceFile, locator_start: int) -> tuple[int, tuple[int, int, int]]:
    _, disk, start, disks = _LOCATOR64.unpack(file.read(locator_start, _LOCATOR64.size))
    if disk or disks != 1:
        raise ConvertError("spread over several disks")
    if start + _END64.size != locator_start:
        raise ConvertError(f"zip64 end record at byte {start}, expected {locator_start - _END64.size}")
    fields = _END64.unpack(file.read(start, _END64.size))
    signature, size, _, _, disk, directory_disk, disk_entries, count, directory_bytes, directory_start = fields
    if signature != b"PK\6\6" or size != _END64.size - 12:
        raise ConvertError("zip64 end record is malformed")
    if disk or directory_disk or disk_entries != count:
        raise ConvertError("spread over several disks")
    return start, (count, directory_bytes, directory_start)


def _refuse_second_end(file: SourceFile, end_start: int) -> None:
    """Raise ConvertError if a reader that searches for the end record could stop at an earlier record."""
    search_start = max(0, file.size - _END_SEARCH_BYTES)
    tail = file.read(search_start, end_start - search_start)
    at = tail.find(b"PK\5\6")
    while at >= 0:
        if at + _END.size <= len(tail):
            _, disk, directory_disk, disk_entries, count, size, start, _ = _END.unpack_from(tail, at)
            # Weights may contain the four signature bytes by chance, but not a whole plausible record after them.
            if not disk and not directory_disk and disk_entries == count and start + size <= search_start + at:
                raise ConvertError(f"second end record at byte {search_start + at}")
        at = tail.find(b"PK\5\6", at + 1)


def _read_directory(data: bytes, count: int) -> list[_Record]:
    records: list[_Record] = []
    names: set[str] = set()
    position = 0
    for _ in range(count):
        if len(data) - position < _CENTRAL.size or data[position : position + 4] != b"PK\1\2":
            raise ConvertError(f"directory has {len(records)} entries, {count} are announced")
        (
            _,
            _,
            _,
            flags,
            method,
            _,
            _,
            crc32,
            stored,
            size,
            name_bytes,
            extra_bytes,
            comment_bytes,
            disk,
            _,
            _,
            header_start,
        ) = _CENTRAL.unpack_from(data, position)
        position += _CENTRAL.size
        if len(data) - position < name_bytes + extra_bytes + comment_bytes:
            raise ConvertError("directory is cut short inside an entry")
        raw_name = data[position : position + name_bytes]
        name = _checked_name(raw_name)
        extra = data[position + name_bytes : position + name_bytes + extra_bytes]
        position += name_bytes + extra_bytes + comment_bytes
        if name in names:
            raise ConvertError(f"duplicate entry {quoted(name)} in the directory")
        names.add(name)
        size, stored, header_start, disk = _widened(name, extra, size, stored, header_start, disk)
        if flags & ~(_DATA_DESCRIPTOR_FLAG | _UTF8_FLAG):
            kind = "is encrypted" if flags & 0x2041 else f"has flags {flags:#06x} that are not supported"
            raise ConvertError(f"entry {quoted(name)} {kind}")
        if method:
            raise ConvertError(
                f"entry {quoted(name)} is compressed (method {method}), expected stored "
                "(torch.save does not compress; TorchScript and other tools do)"
            )
        if stored != size:
            raise ConvertError(f"entry {quoted(name)} is stored in {stored} bytes but has {size}")
        if disk:
            raise ConvertError(f"entry {quoted(name)} lies on another disk")
        records.append(_Record(name, raw_name, flags, crc32, size, header_start))
    if position != len(data):
        raise ConvertError(f"directory has {len(data) - position} bytes after its last entry")
    return records


def _checked_name(raw: bytes) -> str:
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise ConvertError(f"entry name {quoted(raw)} is not UTF-8") from None
    if not name or len(raw) > MAX_NAME_BYTES:
        raise ConvertError(f"entry name {quoted(name)} has {len(raw)} bytes, expected 1 to {MAX_NAME_BYTES}")
    if not name.isprintable() or "\\" in name or ":" in name:
        raise ConvertError(f"entry name {quoted(name)} holds a character that is not allowed")
    if any(part in ("", ".", "..") for part in name.split("/")):
        raise ConvertError(f"entry name {quoted(name)} is not a plain relative path")
    return name


def _widened(name: str, extra: bytes, *fields: int) -> tuple[int, ...]:
    """Return (size, stored size, header start, disk). A number of which all bits are 1 is replaced by that of the zip64
    extra field."""
    limits = (2**32 - 1, 2**32 - 1, 2**32 - 1, 2**16 - 1)
    wide = None
    position = 0
    while position < len(extra):
        if len(extra) - position < 4:
            raise ConvertError(f"entry {quoted(name)}: extra field is malformed")
        tag, length = struct.unpack_from("<2H", extra, position)
        position += 4
        if length > len(extra) - position:
            raise ConvertError(f"entry {quoted(name)}: extra field is malformed")
        if tag == 1:
            if wide is not None:
                raise ConvertError(f"entry {quoted(name)}: two zip64 extra fields")
            wide = extra[position : position + length]
        position += length
    rest = wide or b""
    result = []
    for value, limit, width in zip(fields, limits, (8, 8, 8, 4)):
        if value == limit:
            if len(rest) < width:
                raise ConvertError(f"entry {quoted(name)}: zip64 extra field is missing or too short")
            value, rest = int.from_bytes(rest[:width], "little"), rest[width:]
        result.append(value)
    return tuple(result)


def _locate(file: SourceFile, records: list[_Record], directory_start: int) -> list[ZipEntry]:
    """Compare each local header with the directory. Check that the entries have no gap and no overlap."""
    entries = []
    position = 0
    for index, record in enumerate(records):
        where = f"entry {quoted(record.name)}"
        next_start = records[index + 1].header_start if index + 1 < len(records) else directory_start
        if record.header_start != position:
            kind = "overlaps the one before it" if record.header_start < position else "follows bytes of no entry"
            raise ConvertError(f"{where} begins at byte {record.header_start} and {kind}, expected byte {position}")
        (signature, _, flags, method, _, _, crc32, stored, size, name_bytes, extra_bytes) = _LOCAL.unpack(
            file.read(position, _LOCAL.size)
        )
        if signature != b"PK\3\4":
            raise ConvertError(f"{where} has no local header at byte {position}")
        name = file.read(position + _LOCAL.size, name_bytes)
        if name != record.raw_name:
            raise ConvertError(f"{where} is named {quoted(name.decode('utf-8', 'replace'))} in its local header")
        if flags != record.flags or method:
            raise ConvertError(f"{where}: local header and directory disagree about flags or method")
        described = bool(flags & _DATA_DESCRIPTOR_FLAG)
        for local, value in ((crc32, record.crc32), (stored, record.size), (size, record.size)):
            wide = local == 2**32 - 1 and value != crc32
            if local != value and not wide and not (described and local == 0):
                raise ConvertError(f"{where}: local header says {local}, the directory {value}")
        data_start = position + _LOCAL.size + name_bytes + extra_bytes
        position = data_start + record.size
        if position > next_start:
            raise ConvertError(f"{where} overlaps what follows it: data to byte {position}, next at {next_start}")
        if described:
            position += _descriptor_bytes(file, where, record, position, next_start - position)
        entries.append(ZipEntry(record.name, data_start, record.size, record.crc32))
    if position != directory_start:
        raise ConvertError(f"bytes {position} to {directory_start} belong to no entry")
    return entries


def _descriptor_bytes(file: SourceFile, where: str, record: _Record, position: int, room: int) -> int:
    """Return the length of the data descriptor that fills the bytes after an entry's data."""
    if room not in (12, 16, 20, 24):
        raise ConvertError(f"{where}: {room} bytes between its data and what follows, expected a data descriptor")
    # The signature is optional, and the sizes have 4 or 8 bytes, so there are four different lengths.
    data = file.read(position, room)
    signature_bytes = 4 if room in (16, 24) else 0
    fields = struct.unpack("<3L" if room < 20 else "<L2Q", data[signature_bytes:])
    if data[:signature_bytes] not in (b"", b"PK\7\x08") or fields != (record.crc32, record.size, record.size):
        raise ConvertError(f"{where}: data descriptor and directory disagree")
    return room


def _check_crc32(file: SourceFile, entry: ZipEntry, on_bytes: Callable[[int], None]) -> None:
    crc32 = 0
    for start in range(0, entry.size, PIECE_BYTES):
        data = file.read(entry.data_start + start, min(PIECE_BYTES, entry.size - start))
        crc32 = zlib.crc32(data, crc32)
        on_bytes(len(data))
    if crc32 != entry.crc32:
        raise ConvertError(f"entry {quoted(entry.name)}: checksum {crc32:08x}, expected {entry.crc32:08x}")
