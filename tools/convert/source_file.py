"""Reads untrusted files. Opens only regular files, and reads only inside the size that a file had when it was opened.

Files are read instead of mapped, because truncating a mapped file kills the process with SIGBUS.
"""

import os
import stat

from .errors import ConvertError, quoted


def confined(directory: str, name: str, named: str) -> str:
    """Return the real path of a file of the directory. Raises ConvertError if it is outside the directory.

    Links of the hub's cache may lead to another folder of their models--* folder. `named` begins the message.
    """
    root = os.path.realpath(directory or ".")
    try:
        real = os.path.realpath(os.path.join(root, name))
    except (OSError, ValueError) as error:
        raise ConvertError(f"{named} cannot be followed: {error}") from None
    parts = root.split(os.sep)
    roots = [root] + [os.sep.join(parts[: i + 1]) for i, part in enumerate(parts) if part.startswith("models--")]
    if not any(real.startswith(one.rstrip(os.sep) + os.sep) for one in roots):
        raise ConvertError(f"{named} is a link that leads out of its directory")
    return real


class SourceFile:
    """A regular file that is open for reading. Its Tensors keep it open."""

    def __init__(self, path: str, real: str = "") -> None:
        """Open path. A FIFO, a device or a directory is rejected.

        `real` is the result of confined(), which is opened instead of path. It must not be a link.
        """
        self.path = path
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (os.O_NOFOLLOW if real else 0)
        try:
            self._descriptor = os.open(real or path, flags)
        except (OSError, ValueError) as error:
            raise ConvertError(f"cannot open {quoted(path)}: {getattr(error, 'strerror', None) or error}") from None
        self._status = os.fstat(self._descriptor)
        if not stat.S_ISREG(self._status.st_mode):
            os.close(self._descriptor)
            raise ConvertError(f"{quoted(path)} is not a regular file")
        self.size = self._status.st_size

    def read(self, offset: int, count: int) -> bytes:
        """Return exactly count bytes from offset. Raises ConvertError with the place of the end in a shorter file."""
        if offset < 0 or count < 0 or offset + count > self.size:
            raise ConvertError(f"{quoted(self.path)} is truncated at byte {self.size}, expected {offset + count}")
        parts: list[bytes] = []
        missing = count
        while missing:
            try:
                part = os.pread(self._descriptor, missing, offset + count - missing)
            except OSError as error:
                raise ConvertError(f"cannot read {quoted(self.path)}: {error.strerror}") from None
            if not part:
                raise ConvertError(
                    f"{quoted(self.path)} is truncated at byte {offset + count - missing}, expected {self.size}"
                )
            parts.append(part)
            missing -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def check_unchanged(self) -> None:
        """Raise ConvertError if the file was changed since it was opened."""
        now = os.fstat(self._descriptor)
        if (now.st_size, now.st_mtime_ns) != (self._status.st_size, self._status.st_mtime_ns):
            raise ConvertError(f"{quoted(self.path)} changed while it was read")

    def close(self) -> None:
        """Close the descriptor. A second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
