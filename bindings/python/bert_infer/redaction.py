"""Removes from texts the names that a model finds, and the matches of regular expressions."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack, overload

from . import _engine
from .asynchronous import twin
from .errors import Error, InvalidArgumentError, InvalidTextError, check_text
from .runs import Texts
from .text_runs import TextRuns, checked_text, described, task_options

if TYPE_CHECKING:
    from .types import RedactOptions, Redacted


def _rules(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options with each expression as the text "label=expression". Raises an error for wrong types."""
    given = dict(options)
    expressions = given.get("expressions")
    if not isinstance(expressions, Mapping | None):
        raise TypeError(f"expressions: found {type(expressions).__name__}, expected a mapping of labels to expressions")
    for label, expression in (expressions or {}).items():
        check_text("expressions", label)
        check_text("expressions", expression)
        if "=" in label:
            raise InvalidArgumentError(f"expressions: found the label {label!r}, expected one without '='")
    if expressions is not None:
        given["expressions"] = [f"{label}={expression}" for label, expression in expressions.items()]
    if given.get("key") is not None and not isinstance(given["key"], bytes):
        raise TypeError(f"key: found {type(given['key']).__name__}, expected bytes")
    return given


def _without_text(index: int, error: Exception) -> Exception:
    """Returns an error whose message contains nothing of the text. Its class is that of the error, or
    InvalidTextError."""
    kind = type(error) if isinstance(error, Error) else InvalidTextError
    return kind(f"texts[{index}]: the text cannot be read")


@overload
def redact(  # type: ignore[overload-overlap]  # a str is an Iterable[str] too
    texts: str, expressions: Mapping[str, str], *, replace: str = ..., mask: str | None = ..., key: bytes | None = ...
) -> "Redacted": ...


@overload
def redact(
    texts: Iterable[str],
    expressions: Mapping[str, str],
    *,
    replace: str = ...,
    mask: str | None = ...,
    key: bytes | None = ...,
) -> "list[Redacted]": ...


def redact(
    texts: "str | Iterable[str]",
    expressions: Mapping[str, str],
    *,
    replace: str = "<{label}>",
    mask: str | None = None,
    key: bytes | None = None,
) -> "Redacted | list[Redacted]":
    """Does the same as Model.redact, without a model: only matches of the expressions are replaced."""
    rules = _rules({"expressions": expressions, "replace": replace, "mask": mask, "key": key})
    redactor = _engine.Redactor(task_options("redact", rules))
    given = Texts(texts)
    redacted: list[Redacted] = []
    for index, text in enumerate(given.iterable):
        checked_text(text)
        try:
            text.encode()
            redacted.append(redactor.text(text))
        except UnicodeEncodeError as error:
            raise _without_text(index, error) from None
        except Error as error:
            raise type(error)(f"texts[{index}]: {error}") from None
    return redacted[0] if given.is_single else redacted


class Redaction(TextRuns):
    """The part of Model that redacts texts."""

    @overload
    def redact(  # type: ignore[overload-overlap]
        self, texts: str, **options: "Unpack[RedactOptions]"
    ) -> "Redacted": ...

    @overload
    def redact(
        self, texts: Iterable[str], **options: "Unpack[RedactOptions]"
    ) -> "list[Redacted]": ...

    @described("redact", "expressions", "key")
    def redact(
        self,
        texts: "str | Iterable[str]",
        *,
        expressions: Mapping[str, str] | None = None,
        key: bytes | None = None,
        **options: Any,
    ) -> "Redacted | list[Redacted]":
        """Replaces the entities that the model finds in each text. Returns dicts of text and replaced; `replaced` has
        the label, start and end of each part, in code points of the given text. For a single str the result is one
        dict.

        Without labels the model must be a token classifier. expressions: regular expressions by their labels; their
        matches are replaced too. key: at least 16 bytes; needed for {hash}, the first 32 digits of a part's
        HMAC-SHA-256. Nothing of a text is cut off. If a text cannot be read, the error does not contain the text.
        """
        given = Texts(texts)
        rules = _rules({"expressions": expressions, "key": key, **options})
        redacted: list[Redacted] = [result.output() for result in self._run_task("redact", rules, given)]
        return redacted[0] if given.is_single else redacted

    aredact = twin(redact)
