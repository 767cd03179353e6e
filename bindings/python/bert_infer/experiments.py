"""Experiments on a model, for notebooks: dicts of numbers, with a summary, tables and drawings."""

import html
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from . import _engine, hub
from .asynchronous import twin
from .errors import InvalidArgumentError, check_integer, checked_list
from .runs import Pair, Progress, Texts, results
from .tasks import TaskModel

if TYPE_CHECKING:
    from .types import WordNeighbor

# Pixels of a page in a notebook; a longer one is scrolled.
PAGE_HEIGHT = 520


class Experiment(dict[str, Any]):
    """The numbers of an experiment by name; many numbers are a numpy array. A notebook cell that ends with it shows its
    page."""

    def __init__(self, found: "tuple[_engine.Experiment, dict[str, Any]]") -> None:
        self._engine, numbers = found
        super().__init__(numbers)

    @property
    def answer(self) -> str:
        """A sentence that says what the numbers show."""
        return self._engine.answer

    @property
    def text(self) -> str:
        """The tables, as the program prints them."""
        return self._engine.text()

    @property
    def html(self) -> str:
        """The page, as a whole HTML file."""
        return self._engine.html()

    @property
    def svg(self) -> str:
        """The first drawing of the page."""
        return self._engine.svg()

    def _repr_html_(self) -> str:
        """Returns the page in a frame, because it has its own styles; returns the tables if there are too many tokens
        to draw."""
        if not self._engine.is_drawable:
            return f"<pre>{html.escape(self.text)}</pre>"
        page = html.escape(self.html)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {PAGE_HEIGHT}px; border: 0"></iframe>'


def sample_texts() -> list[str]:
    """Returns a hundred English sentences of the package, on which `report` measures by default."""
    return list(_engine.sample_texts())


def _text_of(text: "str | Pair", max_length: int | None) -> _engine.ExperimentText:
    if max_length is not None:
        check_integer("max_length", max_length, 1)
    if isinstance(text, str):
        return _engine.ExperimentText(text, None, max_length)
    if isinstance(text, tuple) and len(text) == 2 and all(isinstance(part, str) for part in text):
        return _engine.ExperimentText(*text, max_length)
    raise TypeError(f"found {type(text).__name__}, expected a str or a tuple of two")


def _rows_of(rows: "Iterable[int] | None") -> list[int]:
    """Returns the row numbers in ascending order; an empty list means all rows."""
    if rows is None:
        return []
    chosen = checked_list("rows", rows, "tokens")
    for row in chosen:
        check_integer("rows", row, 0)
    chosen.sort()
    if not chosen:
        raise InvalidArgumentError("rows: found no token, expected some, or None for all")
    for one, other in zip(chosen, chosen[1:]):
        if one == other:
            raise InvalidArgumentError(f"rows: found token {one} twice, expected each once")
    return chosen


class ExperimentModel(TaskModel):
    """The part of Model that examines the model. A text may also be a pair, a tuple of two texts."""

    _source: hub.Source

    def explain(self, text: "str | Pair", *, max_length: int | None = None) -> Experiment:
        """Returns the vectors that the embedding layer adds for each token, and how far each layer moves the token.

        parts: "word", "position" and "segment" (those that the model has), "sum" and "normalized", [tokens, hidden]
        each.
        shares: part · sum / |sum|² for each part, [tokens]. The shares of all parts add up to 1.
        moved: the distance of a token's vectors before and after a layer, divided by the norm before, [tokens, layers].
        """
        return Experiment(_engine.composition(self._engine, _text_of(text, max_length)))

    def attention(
        self, text: "str | Pair", *, rows: "Iterable[int] | None" = None, max_length: int | None = None
    ) -> Experiment:
        """Returns which tokens each head attends to.

        weights: [layers, heads, rows (query), tokens (key)]. entropy: the mean over the queries, in bits, [layers,
        heads]; at most max_entropy. self, previous, next, special: the share of the weights on the token itself, on the
        token before, on the token after, and on special tokens, [layers, heads] each.
        rows: the tokens whose attention is returned, counted from 0, at most 64; the whole text is computed. The page
        shows these tokens as rows and as columns, and how much attention each row gives to the other tokens.
        """
        return Experiment(_engine.attention(self._engine, _text_of(text, max_length), _rows_of(rows)))

    def order(
        self, text: "str | Pair", *, shuffles: int = 3, seed: int = 1, max_length: int | None = None
    ) -> Experiment:
        """Returns what changes if the tokens are in other orders, with the model's positions and without.

        orders: the place from which each token of a new order comes, [orders, tokens]. names: the names of the orders.
        moved: how far a token's last vector moves, divided by its norm, [orders, tokens]. moved_by_layer and
        moved_by_layer_without_positions: the mean over the tokens, [orders, layers + 1]. cosine: the cosine of the mean
        vectors of all tokens, [orders]. The model is loaded a second time from the same files, without its positions.
        """
        check_integer("shuffles", shuffles, 0)
        check_integer("seed", seed, 0)
        given = _text_of(text, max_length)
        without_positions = hub.load(replace(self._source, without_positions=True))
        return Experiment(_engine.orders(self._engine, without_positions, given, shuffles, seed))

    @overload
    def neighbors(  # type: ignore[overload-overlap]  # a str is an Iterable[str] too
        self, words: str, *, top_k: int = ...
    ) -> "list[WordNeighbor]": ...

    @overload
    def neighbors(self, words: "Iterable[str]", *, top_k: int = ...) -> "list[list[WordNeighbor]]": ...

    def neighbors(
        self, words: "str | Iterable[str]", *, top_k: int = 10
    ) -> "list[WordNeighbor] | list[list[WordNeighbor]]":
        """Returns the words whose vectors in the embedding layer are nearest to the vector of a word or of a sum of
        words.

        words: one word, or a sum such as "king - man + woman", or several of these. The result for a single str is a
        list of dicts of word, id and score, the cosine, highest first; for several it is a list of such lists. The
        given words are left out. In a sum each vector has length 1.
        """
        check_integer("top_k", top_k, 1)
        given = [words] if isinstance(words, str) else checked_list("words", words, "words")
        found: list[list[WordNeighbor]] = [
            [
                {"word": self._engine.token(id), "id": id, "score": cosine}
                for id, cosine in self._engine.nearest_words(self._terms_of(text), top_k)
            ]
            for text in given
        ]
        return found[0] if isinstance(words, str) else found

    def _terms_of(self, text: str) -> list[tuple[int, float]]:
        """Returns the ids and weights of a word, or of words joined by signs."""
        if not isinstance(text, str):
            raise TypeError(f"words: found {type(text).__name__}, expected a str")
        terms: list[tuple[int, float]] = []
        weight, after_word, after_sign = 1.0, False, False
        for part in text.split():
            is_sign = part in ("+", "-")
            if after_sign if is_sign else after_word:
                raise InvalidArgumentError(f"words: found {part!r} in {text!r}, expected a sign between two words")
            if is_sign:
                weight = -1.0 if part == "-" else 1.0
            else:
                ids, _ = self._engine.token_ids(part.encode(), None, False, 0)
                if len(ids) != 1:
                    expected = "expected a word of the vocabulary"
                    raise InvalidArgumentError(f"words: {part!r} is {len(ids)} tokens, {expected}")
                terms.append((ids[0], weight))
            after_word, after_sign = not is_sign, is_sign
        if not after_word:
            raise InvalidArgumentError(f"words: found {text!r}, expected a word, or words with signs between")
        return terms

    def positions(self) -> Experiment:
        """Returns what the model knows about the places of tokens: its position table, and how attention scores change
        with the distance of two tokens.

        For a position table the result has table, [positions, hidden], norms, [positions], cosines, [positions,
        positions], cosine_by_distance, [positions], and for comparison sinusoidal_cosine_by_distance, that of
        sinusoids, [positions].
        """
        return Experiment(_engine.positions(self._engine))

    def probe(
        self,
        texts: "Iterable[str | Pair]",
        *,
        max_words: int = 2000,
        max_length: int | None = None,
        show_progress_bar: bool = False,
    ) -> Experiment:
        """Returns how much of the variance of many texts' token vectors is explained by a token's position and by its
        word.

        position, word, both and neither: shares of the variance, [layers + 1] each. texts, tokens, words: their
        numbers. left_out_tokens: the number of tokens whose words came after the first max_words. confounded_layer: the
        layer at which most of what position explains is explained by the word alone too, or None. Memory holds only
        sums for each position and word.
        """
        check_integer("max_words", max_words, 2)
        given = Texts(texts, pair_is_single=True)
        options = self._options(None, "", max_length, 0)
        options.set_encode(True)
        sums = _engine.VarianceProbe(max_words)
        progress = Progress(given.count) if show_progress_bar else None
        for result in results(self._engine, given, options, progress):
            sums.add(result)
        return Experiment(_engine.variance(self._engine, sums))

    def segments(self, text: "str | Pair", *, max_length: int | None = None) -> Experiment:
        """Returns what a pair's segments change: the same tokens are computed with swapped segments, all in A, and all
        in B.

        type_ids: the tokens' own segments, 0 for A and 1 for B. names: the names of the three changes, in the order of
        the rows of moved. moved: how far a token's last vector moves, divided by its norm, [3, tokens]. moved_by_layer:
        the mean over the tokens, [3, layers + 1]. cosine: the cosine of the mean vectors of all tokens, [3]. norms: the
        norms of the two segment vectors. vector_cosine: the cosine of the segment vectors. word_norm: the mean norm of
        the tokens' word vectors.
        """
        return Experiment(_engine.segments(self._engine, _text_of(text, max_length)))

    def report(
        self, text: "str | Pair", texts: "Iterable[str | Pair] | None" = None, *, max_length: int | None = None
    ) -> Experiment:
        """Returns what the other experiments say about the model, as questions with short answers; the page has the
        drawings.

        texts: many texts for the last question, which is measured as by `probe`; None: a hundred English sentences of
        the package. The segments are those of a pair, or of two sentences of the package. questions: dicts of
        "question" and "answer". tokens: dicts of "token", "id" and "nearest", the words with the nearest rows of the
        word table. parameters: how many numbers the model has.
        """
        report = _engine.ModelReport()
        report.add_tokens(self._engine, _text_of(text, max_length))
        explained = self.explain(text, max_length=max_length)._engine
        report.add_embeddings(explained)
        if self._engine.has_positions:
            report.add_positions(self._engine)
            report.add_orders(self.order(text, max_length=max_length)._engine)
        if self._engine.segments >= 2:
            own = _engine.sample_pair()
            compared = self.segments(own) if isinstance(text, str) else self.segments(text, max_length=max_length)
            a, b = own if isinstance(text, str) else text
            report.add_segments(compared._engine, f"“{a}” (A) and “{b}” (B)")
        if self._engine.attention_layers > 0:
            report.add_attention(self.attention(text, max_length=max_length)._engine)
        shares = self.probe(_engine.sample_texts() if texts is None else texts, max_length=max_length)
        source = "the package's own texts: " if texts is None else ""
        report.add_variance(shares._engine, f"{source}{shares['tokens']:,} tokens of {shares['texts']:,} texts")
        return Experiment(report.finish(explained))

    # Each method as a coroutine, which runs in a thread.
    aexplain = twin(explain)
    aattention = twin(attention)
    aorder = twin(order)
    apositions = twin(positions)
    asegments = twin(segments)
    aprobe = twin(probe)
    areport = twin(report)
