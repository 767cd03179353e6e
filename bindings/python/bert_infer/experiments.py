"""Experiments on a model, as a notebook shows them: dicts of numbers that have words and drawings."""

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
    """The numbers by name, numpy arrays where they are many. At the end of a notebook's cell it shows its page."""

    def __init__(self, found: "tuple[_engine.Experiment, dict[str, Any]]") -> None:
        self._engine, numbers = found
        super().__init__(numbers)

    @property
    def answer(self) -> str:
        """What the numbers say, in a sentence."""
        return self._engine.answer

    @property
    def text(self) -> str:
        """The tables, as the program prints them."""
        return self._engine.text()

    @property
    def html(self) -> str:
        """The page, a whole file."""
        return self._engine.html()

    @property
    def svg(self) -> str:
        """The page's first drawing alone."""
        return self._engine.svg()

    def _repr_html_(self) -> str:
        """A page has styles of its own, so that it is in a frame. Too many tokens are not drawn: then the tables."""
        if not self._engine.is_drawable:
            return f"<pre>{html.escape(self.text)}</pre>"
        page = html.escape(self.html)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {PAGE_HEIGHT}px; border: 0"></iframe>'


def sample_texts() -> list[str]:
    """A hundred English sentences of the package's own: those on which report measures by default."""
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
    """In ascending order; empty: all."""
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
    """The part of Model that looks inside of it. A text may also be a pair, a tuple of two."""

    _source: hub.Source

    def explain(self, text: "str | Pair", *, max_length: int | None = None) -> Experiment:
        """The vectors that the embedding layer adds for each token, and how far each layer moves the token.

        parts: "word", "position", "segment" (those that the model has), "sum" and "normalized", [tokens, hidden] each.
        shares: of a part, part · sum / |sum|², [tokens]; the shares of all parts add up to 1.
        moved: the distance of a token's vectors before and after a layer, relative to the norm before:
        [tokens, layers].
        """
        return Experiment(_engine.composition(self._engine, _text_of(text, max_length)))

    def attention(
        self, text: "str | Pair", *, rows: "Iterable[int] | None" = None, max_length: int | None = None
    ) -> Experiment:
        """What each head attends to.

        weights: [layers, heads, rows (query), tokens (key)]. entropy: in bits, the mean of the queries, of at most
        max_entropy. self, previous, next, special: the shares of the weights on the token itself, on the tokens before
        and after it, on special tokens; like entropy [layers, heads].
        rows: the tokens whose attention is wanted, counted from 0, at most 64; the whole text is computed. The page
        has these as rows and as columns, and what each row gives to the other tokens.
        """
        return Experiment(_engine.attention(self._engine, _text_of(text, max_length), _rows_of(rows)))

    def order(
        self, text: "str | Pair", *, shuffles: int = 3, seed: int = 1, max_length: int | None = None
    ) -> Experiment:
        """What other orders of the tokens change, with the model's positions and without.

        orders: where each token of a new order comes from, [orders, tokens]; names: what the orders are. moved: how far
        a token's last vector moves, relative to its norm, [orders, tokens]. moved_by_layer and
        moved_by_layer_without_positions: the mean of the tokens, [orders, layers + 1]. cosine: of the mean vectors of
        all tokens, [orders]. The model is loaded once more, without its positions, of the same files.
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
        """The words whose vectors in the embedding layer are nearest to that of a word, or of a sum of words.

        words: one, or "king - man + woman", or several of these. For a single str its list of dicts of word, id and
        score, the cosine, the highest first; the given words are left out. In a sum each vector has length 1.
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
        """The ids and weights of a word or of words with signs between."""
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
        """What the model knows about the places of its tokens: its position table, and how the distance of two tokens
        changes their attention score.

        Of a table: table [positions, hidden], norms [positions], cosines [positions, positions]; cosine_by_distance,
        and the same of sinusoids, sinusoidal_cosine_by_distance, [positions].
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
        """What a token's position and its word explain of the variance of many texts' token vectors.

        position, word, both and neither: shares of the variance, [layers + 1] each. texts, tokens, words: how many
        there were; left_out_tokens: of words after the first max_words. confounded_layer: where most of what position
        explains is explained by the word alone too, or None. Only sums of each position and word are kept.
        """
        check_integer("max_words", max_words, 2)
        given = Texts(texts, pair_is_single=True)
        options = self._options(None, "", max_length, 0)
        options.set_encode(True, False)
        sums = _engine.VarianceProbe(max_words)
        progress = Progress(given.count) if show_progress_bar else None
        for result in results(self._engine, given, options, progress):
            sums.add(result)
        return Experiment(_engine.variance(self._engine, sums))

    def segments(self, text: "str | Pair", *, max_length: int | None = None) -> Experiment:
        """What a pair's segments change: the same tokens with the segments swapped, all in A, and all in B.

        type_ids: the tokens' own segments, 0 for A and 1 for B. names: of the three, in the order of the rows of moved:
        how far a token's last vector moves, relative to its norm, [3, tokens]; moved_by_layer: the mean of the tokens,
        [3, layers + 1]; cosine: of the mean vectors of all tokens, [3]. norms: of the two segment vectors;
        vector_cosine: their cosine; word_norm: the mean norm of the tokens' word vectors.
        """
        return Experiment(_engine.segments(self._engine, _text_of(text, max_length)))

    def report(
        self, text: "str | Pair", texts: "Iterable[str | Pair] | None" = None, *, max_length: int | None = None
    ) -> Experiment:
        """What the other experiments say about the model, as questions with short answers; the page has their drawings.

        texts: many, on which the last question is measured, as probe does; None: a hundred English sentences of the
        package's own. The segments are those of a pair, or of two sentences of the package's own. questions: dicts of
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

    # The same in a thread, for asyncio.
    aexplain = twin(explain)
    aattention = twin(attention)
    aorder = twin(order)
    apositions = twin(positions)
    asegments = twin(segments)
    aprobe = twin(probe)
    areport = twin(report)
