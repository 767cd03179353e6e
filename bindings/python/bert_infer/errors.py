"""The exceptions of this package. All have one base class; a message is a line of the engine (what, where, found,
expected)."""

import operator
import os
import reprlib
import sys
import warnings
from collections.abc import Iterable
from typing import Any

__all__ = [
    "Error",
    "InvalidArgumentError",
    "InvalidFileError",
    "InvalidTextError",
    "IoError",
    "NonFiniteError",
    "NotFoundError",
    "Notice",
    "UnsupportedError",
    "check_choice",
    "check_integer",
    "check_text",
    "checked_ids",
    "checked_list",
    "checked_path",
    "notify",
    "refuse_table",
    "shown",
]


class Error(Exception):
    """The base class of all errors of this package."""


class InvalidArgumentError(Error, ValueError):
    """An argument is out of range or contradicts another."""


class InvalidFileError(Error, ValueError):
    """A file exists, but its content is wrong."""


class NotFoundError(Error, LookupError, FileNotFoundError):
    """A requested file, directory, model, tensor or prompt does not exist."""


class UnsupportedError(Error, ValueError):
    """An argument or a file is valid, but not supported, or an argument is unknown; the message names it."""


class InvalidTextError(Error, ValueError):
    """A text is not valid Unicode, or cannot be truncated to the requested length."""


class NonFiniteError(Error, ArithmeticError):
    """A number is NaN or infinite."""


class IoError(Error, OSError):
    """The operating system failed to read, to write or to create a thread."""


class Notice(UserWarning):
    """The category of this package's warnings, for example about truncated texts, a model's notices or a download.

    The numbers of texts, tokens or vectors are attributes, and also entries of `counts`. The message has no numbers, so
    that Python shows it only once in a loop.
    """

    def __init__(self, message: str = "", **counts: int) -> None:
        super().__init__(message)
        self.counts = counts

    def __getattr__(self, name: str) -> int:
        counts: dict[str, int] = self.__dict__.get("counts", {})
        if name not in counts:
            raise AttributeError(f"no {name!r}, expected one of {', '.join(counts) or 'none'}")
        return counts[name]


def notify(message: str, **counts: int) -> None:
    """Issues a Notice that names the line outside this package whose call led to it."""
    frame, level = sys._getframe(1), 2
    # Code that exec runs may have no name.
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (__package__, "contextlib"):
        frame, level = frame.f_back, level + 1
    warnings.warn(Notice(message, **counts), stacklevel=level)


def check_integer(name: str, value: object, least: int, most: int = 2**63 - 1) -> None:
    """Raises InvalidArgumentError unless the argument is an integer from `least` to `most`."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None:
        raise InvalidArgumentError(f"{name}: found {type(value).__name__} {shown(value)}, expected an integer")
    if number < least:
        raise InvalidArgumentError(f"{name} {value}, expected at least {least}")
    if number > most:
        raise InvalidArgumentError(f"{name} {value}, expected at most {most}")


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raises InvalidArgumentError unless the argument is one of the words."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidArgumentError(f"{name} {shown(value)}, expected one of {', '.join(choices)}")


def shown(value: object) -> str:
    """Returns a short text of a value, on one line, for an error message."""
    return " ".join(reprlib.repr(value).split())


def checked_path(name: str, value: Any) -> str:
    """Returns a path or a name as a str. Raises InvalidArgumentError for anything else."""
    if not isinstance(value, (str, os.PathLike)):
        raise InvalidArgumentError(f"{name}: found {type(value).__name__}, expected a str or a path")
    return os.fsdecode(value)


def checked_list(name: str, value: Any, of: str) -> list[Any]:
    """Returns several items as a list. Refuses a str, whose iteration gives letters, and a table, whose iteration gives
    columns."""
    refuse_table(value)
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__") or getattr(value, "ndim", 1) == 0:
        raise TypeError(f"{name}: found {type(value).__name__}, expected several {of}")
    return value.to_pylist() if hasattr(value, "to_pylist") else list(value)  # Arrow's items are no Python objects


def checked_ids(name: str, ids: Any) -> list[int]:
    """Returns token ids as a list. Raises an error for anything else."""
    listed = checked_list(name, ids, "ids")
    for i, token_id in enumerate(listed):
        check_integer(f"{name}[{i}]", token_id, 0, 2**31 - 1)
    return [int(token_id) for token_id in listed]


def refuse_table(value: Any) -> None:
    """Refuses a table, because a loop over one gives the names of its columns, or its rows."""
    names = getattr(value, "column_names", getattr(value, "columns", None))
    if names is not None and not isinstance(value, str):
        raise TypeError(f"found a table ({type(value).__name__}), expected one column of it: table[{list(names)[0]!r}]")


def check_text(name: str, value: object) -> None:
    """Raises InvalidArgumentError unless the argument is a str."""
    if not isinstance(value, str):
        raise InvalidArgumentError(f"{name}: found {type(value).__name__}, expected a str")
