"""Runs an engine over texts: makes blocks of vectors or results, shows progress, and warns at the end."""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from itertools import zip_longest
from contextvars import ContextVar
from threading import Event
from typing import TYPE_CHECKING, Any, TextIO

from . import _engine
from .errors import InvalidArgumentError, check_text, checked_list, notify, refuse_table

if TYPE_CHECKING:
    from .types import FloatArray

Pair = tuple[str, str]

BLOCK_ROWS = 1024  # rows of a block of vectors, in a run of unknown length


stop: ContextVar[Event | None] = ContextVar("stop", default=None)  # the event ends the runs of this context


class Stopped(Exception):
    """A run was ended by `stop`."""


def _tqdm_bar(total: int | None) -> Any:
    """Returns a progress bar of the package tqdm, which also works in notebooks; None if tqdm is not installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, unit=" texts")


class Progress:
    """Shows how many texts are done, of how many, and the rate: by tqdm if it is installed, otherwise as a line on
    stderr.

    stream: if given, the line is written to it, without tqdm.
    """

    INTERVAL_S = 0.2

    def __init__(self, total: int | None, stream: TextIO | None = None) -> None:
        self._bar = None if stream else _tqdm_bar(total)
        self._total = total
        self._stream = stream or sys.stderr
        self._start = time.monotonic()
        self._shown = self._start
        self._texts = 0

    def add(self, texts: int) -> None:
        if self._bar is not None:
            self._bar.update(texts)
            return
        self._texts += texts
        now = time.monotonic()
        if now - self._shown >= self.INTERVAL_S:
            self._shown = now
            self._write("\r" + self._line(now))

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.close()
            return
        self._write("\r" + self._line(time.monotonic()) + "\n")

    def _line(self, now: float) -> str:
        of_total = "" if self._total is None else f" of {self._total:,}"
        rate = self._texts / max(now - self._start, 1e-9)
        left = "" if self._total is None or not rate else f", {(self._total - self._texts) / rate:.0f} s left"
        return f"{self._texts:,}{of_total} texts, {rate:,.0f}/s{left} "

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class Texts:
    """The texts of a run. A single text counts as a list of one; a mapping or bytes is an error."""

    def __init__(self, texts: "str | Iterable[Any]", pair_is_single: bool = False, count: int | None = None) -> None:
        if hasattr(texts, "to_pylist") and not hasattr(texts, "column_names"):
            texts = texts.to_pylist()  # an array of Arrow, whose items are no str
        self.is_single = isinstance(texts, str) or (pair_is_single and is_pair(texts))
        refuse_table(texts)
        if not self.is_single and getattr(texts, "ndim", 1) != 1:  # numpy's str has a shape, ()
            shape = getattr(texts, "shape", None)
            raise TypeError(f"found {type(texts).__name__} of shape {shape}, expected one dimension")
        if isinstance(texts, (bytes, dict)) or not (self.is_single or hasattr(texts, "__iter__")):
            raise TypeError(f"found {type(texts).__name__}, expected a str or an iterable of them")
        self.iterable: Iterable[Any] = [texts] if self.is_single else texts
        self.count = len(self.iterable) if isinstance(self.iterable, Sized) else count


def single(text: Any, is_split_into_words: bool = False) -> Texts:
    """Returns one text, one pair, or one list of a text's words as Texts. Raises TypeError for several."""
    given = split_into_words(text) if is_split_into_words else Texts(text, pair_is_single=True)
    if not given.is_single:
        expected = "a list of str" if is_split_into_words else "a str or a tuple of two"
        raise TypeError(f"found {type(text).__name__}, expected {expected}")
    return given


def split_into_words(texts: Any) -> Texts:
    """Returns a text's words, or several texts' words, as Texts. For the engine an item is a tuple of None and the
    words."""
    is_sequence = isinstance(texts, (list, tuple)) or getattr(texts, "ndim", 0) == 1
    is_single = is_sequence and all(isinstance(word, str) for word in texts)
    if isinstance(texts, (str, bytes, dict)) or not hasattr(texts, "__iter__"):
        raise TypeError(f"found {type(texts).__name__}, expected a text's words: a list of str, or an iterable of such")
    lists = [texts] if is_single else texts
    given = Texts(
        ((None, _words(index, words)) for index, words in enumerate(lists)),
        count=len(lists) if isinstance(lists, Sized) else None,
    )
    given.is_single = is_single
    return given


def _words(index: int, words: Any) -> list[str]:
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise TypeError(f"texts[{index}]: found {type(words).__name__}, expected its words: a list of str")
    listed = list(words)
    for word in listed:
        check_text(f"texts[{index}]", word)
    return listed


def with_spans(
    texts: Iterable[str], spans: Iterable[Iterable[tuple[int, int]]]
) -> "Iterator[tuple[str, list[tuple[int, int]]]]":
    """Yields each text with its chunks; the engine takes chunks in bytes."""
    missing: Any = object()
    given = checked_list("spans", spans, "lists of chunks")
    for index, (text, chunks) in enumerate(zip_longest(texts, given, fillvalue=missing)):
        if text is missing or chunks is missing:
            raise InvalidArgumentError(f"spans: found {len(given)} lists, expected one for each text")
        check_text(f"texts[{index}]", text)
        listed = list(chunks) if isinstance(chunks, Iterable) else []
        if not listed or not all(_is_span(span, len(text)) for span in listed):
            expected = f"at least one (begin, end) in a text of {len(text)} characters"
            raise InvalidArgumentError(f"spans[{index}]: found {listed!r}, expected {expected}")
        yield text, [(len(text[:begin].encode()), len(text[:end].encode())) for begin, end in listed]


def _is_span(value: Any, length: int) -> bool:
    is_sequence = isinstance(value, (tuple, list)) or getattr(value, "ndim", 0) == 1
    if not is_sequence or len(value) != 2 or not all(hasattr(one, "__index__") for one in value):
        return False
    begin, end = (one.__index__() for one in value)
    return bool(0 <= begin < end <= length)


def is_pair(texts: Any) -> bool:
    return isinstance(texts, tuple) and len(texts) == 2 and all(isinstance(text, str) for text in texts)


def pair_of(given: Any, index: int) -> Pair:
    """Returns a tuple of two texts from any sequence of two texts. Raises TypeError for anything else."""
    if getattr(given, "ndim", 0) == 1:
        given = given.tolist()
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
        found = f"{len(given)} items" if isinstance(given, Sized) and not isinstance(given, str) else ""
        raise TypeError(f"pairs[{index}]: found {found or type(given).__name__}, expected two texts")
    for text in given:
        if not isinstance(text, str):
            raise TypeError(f"pairs[{index}]: found {type(text).__name__} in it, expected two texts")
    return given[0], given[1]


def checked_pairs(pairs: Iterable[Any]) -> Iterator[Pair]:
    listed = pairs if isinstance(pairs, Iterator) else checked_list("pairs", pairs, "pairs of texts")
    return (pair_of(given, index) for index, given in enumerate(listed))


def is_null(text: object) -> bool:
    """Returns whether an entry of a column of texts is missing; numpy and pandas may have NaN or NA there."""
    return text is None or (isinstance(text, float) and text != text) or type(text).__name__ == "NAType"


class Report:
    """Counts what a run did with its texts. With a report, a run goes on after a failed text, whose vector is NaN."""

    def notify(self) -> None:
        """Issues Notices about texts that have no vector."""
        if self.failures:
            first = self.failures[0][1]
            notify(f"texts failed and have no vector, the first: {first}", failures=len(self.failures))
        if self.nulls:
            notify("nulls have no vector", nulls=self.nulls)

    def __init__(self) -> None:
        self.texts = 0
        self.tokens = 0
        self.truncated_texts = 0
        self.nulls = 0  # inputs that are None instead of a text
        self.failures: list[tuple[int, Exception]] = []  # a text's index and its error


def vector_blocks(
    model: _engine.Model,
    texts: Texts,
    options: _engine.RunOptions,
    progress: Progress | None = None,
    report: Report | None = None,
) -> "Iterator[FloatArray]":
    """Yields blocks of vectors, [rows, size], in the order of the texts. Only one block is in memory, and running
    passes.

    Without a report, raises the error of the first text that fails.
    """
    import numpy as np

    size = model.embedding_size(options)
    with _running(model, texts, options, report) as run:
        at_start = min(texts.count, BLOCK_ROWS) if texts.count else BLOCK_ROWS
        block = np.empty((at_start, size), dtype=np.float32)
        while rows := run.fill(block):
            _check_stop()
            for index, error in run.failures if report is None else ():
                raise type(error)(f"texts[{index}]: {error}")
            if progress:
                progress.add(rows)
            yield block[:rows]
            block = block[rows:] if rows < len(block) else np.empty((BLOCK_ROWS, size), dtype=np.float32)


def all_vectors(
    model: _engine.Model,
    texts: Texts,
    options: _engine.RunOptions,
    progress: Progress | None = None,
    report: Report | None = None,
) -> "FloatArray":
    """Returns all vectors, [texts, size]. The number of texts may be unknown."""
    import numpy as np

    size = model.embedding_size(options)
    whole = np.empty((texts.count or 0, size), dtype=np.float32)
    rows = 0
    for block in vector_blocks(model, texts, options, progress, report):
        if rows + len(block) > len(whole):
            whole = np.concatenate((whole[:rows], np.empty((max(rows, BLOCK_ROWS), size), dtype=np.float32)))
        whole[rows : rows + len(block)] = block
        rows += len(block)
    if progress:
        progress.finish()
    return whole[:rows]


def results(
    model: _engine.Model, texts: Texts, options: _engine.RunOptions, progress: Progress | None = None
) -> Iterator[_engine.Result]:
    """Yields the result of each text, in order."""
    with _running(model, texts, options) as run:
        while (result := run.next()) is not None:
            _check_stop()
            if progress:
                progress.add(1)
            yield result
        if progress:
            progress.finish()


def _check_stop() -> None:
    event = stop.get()
    if event is not None and event.is_set():
        raise Stopped


@contextmanager
def _running(
    model: _engine.Model, texts: Texts, options: _engine.RunOptions, report: Report | None = None
) -> Iterator[_engine.Run]:
    run = _engine.Run(model, iter(texts.iterable), options)
    try:
        yield run
    finally:
        run.close()
    if report is not None:
        report.texts += run.texts
        report.tokens += run.tokens
        report.truncated_texts += run.truncated_texts
        report.failures += run.failures
    elif run.truncated_texts:
        notify(
            "texts were too long and cut (max_length)",
            texts=run.texts, truncated_texts=run.truncated_texts, truncated_tokens=run.truncated_tokens,
        )
    if run.coarse_texts:
        notify(
            "texts have rows of activations that 8 bits hardly hold: one number is so large that the others are below "
            "one step",
            texts=run.texts, coarse_texts=run.coarse_texts, coarse_rows=run.coarse_rows,
        )
