"""Labels of texts and of their parts: a classifier's own, or those that the caller names."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from . import _engine
from .asynchronous import twin
from .errors import InvalidArgumentError, check_choice, check_integer, check_text, checked_list
from .runs import Pair, Texts, results, split_into_words
from .text_runs import TextRuns, check_top_k, checked_text
from .types import OFFSET_UNITS, Aggregation, LongText, Scheme, WindowScores

if TYPE_CHECKING:
    from .types import ClassifyOptions, Entity, LabelScore, OffsetUnit, TagOptions, WordLabel, ZeroShotOptions


def set_long_text(
    options: _engine.RunOptions,
    long_text: LongText | None,
    stride: int | None,
    *,
    by_default: LongText = "cut",
    words: tuple[LongText, ...] = ("windows", "cut", "error"),
) -> None:
    """What is done with a text that is too long. stride: windows share so many tokens; None: the engine's default."""
    if long_text is not None:
        check_choice("long_text", long_text, words)
    if stride is not None:
        check_integer("stride", stride, 0)
        if long_text not in (None, "windows"):
            raise InvalidArgumentError(f"stride is for long_text='windows', found {long_text!r}")
        options.stride = stride
        options.fits_stride = False
    chosen = long_text or ("windows" if stride is not None else by_default)
    options.windows = chosen == "windows"
    options.refuses_long_texts = chosen == "error"


class LabelTasks(TextRuns):
    """The part of Model that gives labels."""

    @overload  # a str and a pair are also iterables of str
    def classify(  # type: ignore[overload-overlap]
        self, texts: "str | Pair", **options: "Unpack[ClassifyOptions]"
    ) -> "list[LabelScore]": ...

    @overload
    def classify(
        self, texts: "Iterable[str | Pair]", **options: "Unpack[ClassifyOptions]"
    ) -> "list[list[LabelScore]]": ...

    def classify(
        self,
        texts: "str | Pair | Iterable[str | Pair]",
        *,
        top_k: int | None = None,
        labels: Iterable[str] | None = None,
        multi_label: bool = False,
        stride: int | None = None,
        long_text: LongText | None = None,
        window_scores: WindowScores = "mean",
    ) -> "list[LabelScore] | list[list[LabelScore]]":
        """The labels of each text or pair with their scores, best first: a list of dicts for each text.

        For a single str or tuple of two the list of its labels. labels: those that a model that reads labels (GLiClass)
        chooses from, for texts alone; multi_label: each of their scores stands alone, from 0 to 1, else they sum to 1.
        long_text: a text that is too long is "cut" (the default), read in "windows", which share `stride` tokens, or an
        "error"; window_scores: a label's score is the "mean" of its windows', or the "largest".
        """
        check_top_k(top_k)
        check_text("window_scores", window_scores)
        given = Texts(texts, pair_is_single=labels is None)
        options = self._options(None, "", None, 0)
        listed = None if labels is None else [checked_text(label) for label in checked_list("labels", labels, "labels")]
        options.set_classify(self._engine, listed, multi_label, window_scores, top_k)
        set_long_text(options, long_text, stride)
        scores: list[list[LabelScore]] = [r.output() for r in results(self._engine, given, options)]
        return scores[0] if given.is_single else scores

    @overload
    def zero_shot(  # type: ignore[overload-overlap]
        self, texts: str, labels: Sequence[str], **options: "Unpack[ZeroShotOptions]"
    ) -> "list[LabelScore]": ...

    @overload
    def zero_shot(
        self, texts: Iterable[str], labels: Sequence[str], **options: "Unpack[ZeroShotOptions]"
    ) -> "list[list[LabelScore]]": ...

    def zero_shot(
        self,
        texts: "str | Iterable[str]",
        labels: Sequence[str],
        *,
        hypothesis_template: str = "This example is {}.",
        multi_label: bool = False,
        top_k: int | None = None,
        stride: int | None = None,
        long_text: LongText | None = None,
        window_scores: WindowScores = "mean",
    ) -> "list[LabelScore] | list[list[LabelScore]]":
        """The candidate labels of each text with their scores, best first: a list of dicts for each text.

        For a single str the list of its labels. The model is a classifier of natural language inference; each label, in
        the place of {}, makes a hypothesis. multi_label: several labels may apply, and each score stands alone.
        long_text, stride, window_scores: as in classify; the windows of a text are the same for all labels.
        """
        listed = [checked_text(label) for label in checked_list("labels", labels, "texts")]
        check_top_k(top_k)
        check_text("hypothesis_template", hypothesis_template)
        check_text("window_scores", window_scores)
        options = self._options(None, "", None, 0)
        options.set_zero_shot(self._engine, listed, hypothesis_template, multi_label, window_scores, top_k)
        given = Texts(texts)
        each = Texts(checked_text(text) for text in given.iterable)
        set_long_text(options, long_text, stride)
        scores: list[list[LabelScore]] = [r.output() for r in results(self._engine, each, options)]
        return scores[0] if given.is_single else scores

    @overload
    def tag(  # type: ignore[overload-overlap]
        self, texts: str, *, is_split_into_words: Literal[False] = ..., **options: "Unpack[TagOptions]"
    ) -> "list[Entity]": ...

    @overload
    def tag(
        self, texts: Iterable[str], *, is_split_into_words: Literal[False] = ..., **options: "Unpack[TagOptions]"
    ) -> "list[list[Entity]]": ...

    @overload
    def tag(  # type: ignore[overload-overlap]
        self, texts: list[str], *, aggregation: Aggregation | None = ..., is_split_into_words: Literal[True]
    ) -> "list[WordLabel]": ...

    @overload
    def tag(
        self,
        texts: Iterable[Sequence[str]],
        *,
        aggregation: Aggregation | None = ...,
        is_split_into_words: Literal[True],
    ) -> "list[list[WordLabel]]": ...

    def tag(
        self,
        texts: "str | Iterable[str] | Iterable[Sequence[str]]",
        *,
        aggregation: Aggregation | None = None,
        labels: Iterable[str] | None = None,
        threshold: float = 0.5,
        nested: bool = False,
        multi_label: bool = False,
        offsets: "OffsetUnit" = "code_points",
        is_split_into_words: bool = False,
        stride: int | None = None,
        long_text: LongText | None = None,
        scheme: Scheme = "auto",
    ) -> "list[Entity] | list[list[Entity]] | list[WordLabel] | list[list[WordLabel]]":
        """The entities of each text: a list of dicts; start and end are places in the str. For a single str its list.

        labels: what a model that reads labels (GLiNER) looks for. threshold: entities have scores above it. nested: an
        entity may lie in another one. multi_label: an entity may have several labels.
        Without labels the model is a token classifier. aggregation: "none": each token by itself; "simple", the
        default: adjacent tokens of one kind together; the others choose one label for each word: that of its first
        token, of the mean of its tokens, or of the token with the highest score. offsets: the unit of start and end.
        is_split_into_words: a text is the list of its words, and its result has a dict of word, label and score for
        each of them; aggregation: "first" (the default), "average" or "max".
        long_text, stride: as in classify, by default "windows"; words are cut.
        scheme: what the letter before a token classifier's label means: "iob", "bioes" or "bilou"; "auto": the scheme
        of the model's labels.
        """
        check_choice("offsets", offsets, OFFSET_UNITS)
        if aggregation is not None:
            check_text("aggregation", aggregation)
        check_text("scheme", scheme)
        if is_split_into_words:
            if stride is not None or long_text == "windows":
                raise InvalidArgumentError("is_split_into_words is for one sequence of words, without windows")
            if labels is not None:
                raise InvalidArgumentError("is_split_into_words is for a token classifier, without labels")
            given = split_into_words(texts)
            how: str = "first" if aggregation is None or aggregation == "none" else aggregation
        else:
            given, how = Texts(texts), aggregation or "simple"
        options = self._options(None, "", None, 0)
        if labels is not None:
            listed = [checked_text(label) for label in checked_list("labels", labels, "labels")]
            options.set_labels(self._engine, listed, [], threshold, nested, multi_label)
        else:
            options.set_tag(self._engine, how, "auto" if is_split_into_words else scheme)
        set_long_text(options, long_text, stride, by_default="cut" if is_split_into_words else "windows")
        found: list[list[Any]] = [r.output(offsets) for r in results(self._engine, given, options)]
        return found[0] if given.is_single else found

    @property
    def reads_labels(self) -> bool:
        """Whether tag takes labels."""
        return self._engine.reads_labels

    @property
    def scores_labels(self) -> bool:
        """Whether classify takes labels."""
        return self._engine.scores_labels

    # The same in a thread, for asyncio; a cancelled call ends its run.
    aclassify = twin(classify)
    azero_shot = twin(zero_shot)
    atag = twin(tag)
