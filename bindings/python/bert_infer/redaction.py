"""Texts without the names that a model finds, and without the matches of regular expressions."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Unpack, overload

from . import _engine
from .asynchronous import twin
from .errors import Error, InvalidTextError, check_text, checked_list
from .label_tasks import set_long_text
from .runs import Texts, results
from .text_runs import TextRuns, checked_text
from .types import Aggregation, LongText, Scheme

if TYPE_CHECKING:
    from .types import RedactOptions, Redacted


def _redactor(
    expressions: Mapping[str, str] | None,
    replace: str,
    mask: str | None,
    key: bytes | None,
    only: Iterable[str] = (),
    least_score: float = 0,
) -> _engine.Redactor:
    check_text("replace", replace)
    if mask is not None:
        check_text("mask", mask)
    if key is not None and not isinstance(key, bytes):
        raise TypeError(f"key: found {type(key).__name__}, expected bytes")
    listed = list((expressions or {}).items())
    for label, expression in listed:
        check_text("expressions", label)
        check_text("expressions", expression)
    return _engine.Redactor(listed, [checked_text(label) for label in only], least_score, replace, mask, key)


def _of_text(index: int, error: Error) -> Error:
    """The same error with its text's place; one of a redaction has nothing of the text."""
    return type(error)(f"texts[{index}]: {error}")


def _without_text(index: int, error: Exception) -> Exception:
    """The same kind of error, whose message has nothing of the text."""
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
    """Model.redact without a model: only the matches of the expressions are replaced."""
    redactor = _redactor(expressions, replace, mask, key)
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
            raise _of_text(index, error) from None
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

    def redact(
        self,
        texts: "str | Iterable[str]",
        *,
        labels: Iterable[str] | None = None,
        expressions: Mapping[str, str] | None = None,
        only: Iterable[str] = (),
        threshold: float | None = None,
        aggregation: Aggregation = "first",
        scheme: Scheme = "auto",
        replace: str = "<{label}>",
        mask: str | None = None,
        key: bytes | None = None,
        stride: int | None = None,
        long_text: LongText | None = None,
    ) -> "Redacted | list[Redacted]":
        """Each text without the entities that the model finds: dicts of text and replaced, the parts with their label,
        start and end in the given text, in code points. For a single str its dict.

        labels: what a model that reads labels (GLiNER) looks for; without them the model is a token classifier.
        expressions: regular expressions by their labels, whose matches are replaced too. only: entities with these
        labels alone. threshold: entities have scores above it. aggregation, scheme: as of tag. replace: what takes the
        place of a part; {label} is its label, {hash} the first 32 digits of its HMAC-SHA-256 by `key`, of at least 16
        bytes. mask: instead this character for each character. long_text: a text that is too long is read in "windows"
        (the default), which share `stride` tokens, or an "error"; nothing of a text is cut off. A text that cannot be
        read is an error without the text.
        """
        check_text("aggregation", aggregation)
        check_text("scheme", scheme)
        given = Texts(texts)
        listed = None
        if labels is not None:
            listed = [checked_text(label) for label in checked_list("labels", labels, "labels")]
        options = self._options(None, "", None, 0)
        options.set_redact(self._engine, listed, 0.5 if threshold is None else threshold, aggregation, scheme)
        set_long_text(options, long_text, stride, by_default="windows", words=("windows", "error"))
        least = threshold or 0.0 if labels is None else 0.0
        redactor = _redactor(expressions, replace, mask, key, checked_list("only", only, "labels"), least)
        redacted: list[Redacted] = []
        for result in results(self._engine, given, options):
            try:
                redacted.append(redactor.result(result))
            except Error as error:
                raise _of_text(len(redacted), error) from None
        return redacted[0] if given.is_single else redacted

    aredact = twin(redact)
