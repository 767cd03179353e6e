"""The exceptions of this package: one family, whose messages are the engine's lines (what, where, found, expected)."""

import sys
import warnings

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
    "check_integer",
    "check_text",
    "notify",
]


class Error(Exception):
    """Anything that this package rejects."""


class InvalidArgumentError(Error, ValueError):
    """An argument is out of range or contradicts another."""


class InvalidFileError(Error, ValueError):
    """A file exists, but its content is wrong."""


class NotFoundError(Error, LookupError):
    """A requested file, directory, model, tensor or prompt does not exist."""


class UnsupportedError(Error):
    """Valid, but not supported; the message names it."""


class InvalidTextError(Error, ValueError):
    """A text is not valid Unicode, or cannot be truncated to the requested length."""


class NonFiniteError(Error, ArithmeticError):
    """A NaN or an infinity."""


class IoError(Error, OSError):
    """The operating system failed to read, to write or to create a thread."""


class Notice(UserWarning):
    """The category of this package's warnings: truncated texts, a model's notices, a download."""


def notify(message: str) -> None:
    """A warning of the category Notice, at the line outside of this package that led to it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] in (__package__, "contextlib"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, Notice, stacklevel=level)


def check_integer(name: str, value: object, least: int) -> None:
    """An argument that is a number of something."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InvalidArgumentError(f"{name}: found {type(value).__name__} {value!r}, expected an integer")
    if value.__index__() < least:
        raise InvalidArgumentError(f"{name} {value}, expected at least {least}")


def check_text(name: str, value: object) -> None:
    """An argument that is a str."""
    if not isinstance(value, str):
        raise InvalidArgumentError(f"{name}: found {type(value).__name__}, expected a str")
