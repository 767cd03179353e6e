"""Labels of texts and of their parts: the labels of a classifier, or labels that the caller gives."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from .asynchronous import twin
from .errors import InvalidArgumentError, check_choice
from .runs import Pair, Texts, split_into_words
from .text_runs import TextRuns, checked_text, described
from .types import OFFSET_UNITS

if TYPE_CHECKING:
    from .types import Aggregation, ClassifyOptions, Entity, LabelScore, OffsetUnit, TagOptions, WordLabel
    from .types import ZeroShotOptions


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

    @described("classify")
    def classify(
        self, texts: "str | Pair | Iterable[str | Pair]", **options: Any
    ) -> "list[LabelScore] | list[list[LabelScore]]":
        """Returns the labels of each text or pair with their scores, best first: a list of dicts for each text.

        For a single str or tuple of two the result is one list. Labels of the caller can be given only for texts, not
        for pairs.
        """
        given = Texts(texts, pair_is_single=options.get("labels") is None)
        scores: list[list[LabelScore]] = [r.output() for r in self._run_task("classify", options, given)]
        return scores[0] if given.is_single else scores

    @overload
    def zero_shot(  # type: ignore[overload-overlap]
        self, texts: str, labels: Iterable[str], **options: "Unpack[ZeroShotOptions]"
    ) -> "list[LabelScore]": ...

    @overload
    def zero_shot(
        self, texts: Iterable[str], labels: Iterable[str], **options: "Unpack[ZeroShotOptions]"
    ) -> "list[list[LabelScore]]": ...

    @described("zero_shot")
    def zero_shot(
        self, texts: "str | Iterable[str]", labels: Iterable[str], **options: Any
    ) -> "list[LabelScore] | list[list[LabelScore]]":
        """Returns the candidate labels of each text with their scores, best first: a list of dicts for each text.

        For a single str the result is one list. The model must be a classifier of natural language inference; each
        label makes a hypothesis. The windows of a text are the same for all labels.
        """
        given = Texts(texts)
        each = Texts(checked_text(text) for text in given.iterable)
        scores: list[list[LabelScore]] = [
            r.output() for r in self._run_task("zero_shot", {"labels": labels, **options}, each)
        ]
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
        self, texts: list[str], *, aggregation: "Aggregation | None" = ..., is_split_into_words: Literal[True]
    ) -> "list[WordLabel]": ...

    @overload
    def tag(
        self,
        texts: Iterable[Sequence[str]],
        *,
        aggregation: "Aggregation | None" = ...,
        is_split_into_words: Literal[True],
    ) -> "list[list[WordLabel]]": ...

    @described("tag")
    def tag(
        self,
        texts: "str | Iterable[str] | Iterable[Sequence[str]]",
        *,
        offsets: "OffsetUnit" = "code_points",
        is_split_into_words: bool = False,
        **options: Any,
    ) -> "list[Entity] | list[list[Entity]] | list[WordLabel] | list[list[WordLabel]]":
        """Returns the entities of each text: a list of dicts, in which start and end are places in the str.

        For a single str the result is one list. Without labels the model must be a token classifier. offsets: the unit
        of start and end. is_split_into_words: each text is a list of its words, and the result has a dict of word,
        label and score for each word; words beyond the limit are cut off.
        """
        check_choice("offsets", offsets, OFFSET_UNITS)
        if not is_split_into_words:
            given = Texts(texts)
        else:
            if options.get("stride") is not None or options.get("long_text") == "windows":
                raise InvalidArgumentError("is_split_into_words is for one sequence of words, without windows")
            if options.get("labels") is not None:
                raise InvalidArgumentError("is_split_into_words is for a token classifier, without labels")
            given = split_into_words(texts)
            options["long_text"] = options.get("long_text") or "cut"
        found: list[list[Any]] = [r.output(offsets) for r in self._run_task("tag", options, given)]
        return found[0] if given.is_single else found

    @property
    def reads_labels(self) -> bool:
        """Whether `tag` takes labels."""
        return self._engine.reads_labels

    @property
    def scores_labels(self) -> bool:
        """Whether `classify` takes labels."""
        return self._engine.scores_labels

    # Each method as a coroutine, which runs in a thread; a cancelled call ends its run.
    aclassify = twin(classify)
    azero_shot = twin(zero_shot)
    atag = twin(tag)
