"""Writes files that appear in a directory only when all are complete: they are written under temporary names, synced,
and then renamed together.

A directory is locked while it is written, so that two conversions cannot mix. The lock ends with the process. A process
that is killed leaves at most *.partial files, which the next conversion into the directory replaces.
"""

import errno
import fcntl
import os
from typing import BinaryIO

from .errors import ConvertError, quoted

_SUFFIX = ".partial"


class OutputDirectory:
    """A directory and the files that are being written to it. `commit` renames the files. Leaving the block without
    commit removes them."""

    def __init__(self, path: str) -> None:
        """Open the directory; create it (not its parents) if it does not exist."""
        self.path = path
        self._made: list[str] = []
        self._pending: list[str] = []
        self._make_directory(path)
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise ConvertError(f"cannot open directory {quoted(path)}: {error.strerror}") from None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # A file system without locks is accepted. Only two conversions at once are rejected.
            if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN):
                raise ConvertError(f"another conversion is writing to {quoted(path)}") from None

    def __enter__(self) -> "OutputDirectory":
        return self

    def __exit__(self, *unused: object) -> None:
        for name in self._pending:
            _remove(self._full(name) + _SUFFIX)
        for folder in reversed(self._made):
            try:
                os.rmdir(folder)
            except OSError:
                pass  # It contains a committed file.
        os.close(self._descriptor)

    def _full(self, name: str) -> str:
        return os.path.join(self.path, name)

    def _make_directory(self, path: str) -> None:
        try:
            os.mkdir(path)
            self._made.append(path)
        except FileExistsError:
            pass
        except OSError as error:
            raise ConvertError(f"cannot make directory {quoted(path)}: {error.strerror}") from None

    def partial_path(self, name: str) -> str:
        """Return the path that the file has until commit."""
        return self._full(name) + _SUFFIX

    def create(self, name: str) -> BinaryIO:
        """Open a new file, unbuffered, that will be called name (one folder deep at most) after commit."""
        if os.path.dirname(name):
            self._make_directory(self._full(os.path.dirname(name)))
        path = self.partial_path(name)
        _remove(path)
        # The name is recorded before the file exists, because a signal may arrive in between. Removing a missing file
        # does no harm.
        self._pending.append(name)
        return open(path, "xb", buffering=0)

    def write(self, file: BinaryIO, data: bytes | memoryview) -> None:
        """Write all of data."""
        view = memoryview(data).cast("B")
        while view:
            view = view[file.write(view) :]

    def finish(self, file: BinaryIO) -> None:
        """Sync a written file to disk and close it."""
        os.fsync(file.fileno())
        file.close()

    def commit(self, remove_first: str) -> None:
        """Remove the file remove_first, then rename the finished files in the order of their creation."""
        _remove(self._full(remove_first))
        while self._pending:
            name = self._pending[0]
            os.replace(self.partial_path(name), self._full(name))
            self._pending.pop(0)
        for folder in self._made:
            _sync_directory(folder)
        os.fsync(self._descriptor)
        if self.path in self._made:
            _sync_directory(os.path.dirname(os.path.abspath(self.path)))
        self._made.clear()


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _sync_directory(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
