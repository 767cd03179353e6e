"""The options of the tasks, of which None is the default. Written by tools/tasks/write_types.py."""

from collections.abc import Iterable
from typing import Literal, TypedDict

WindowScores = Literal["mean", "largest"]
LongText = Literal["cut", "windows", "error"]
Aggregation = Literal["none", "simple", "first", "average", "max"]
Scheme = Literal["auto", "iob", "bioes", "bilou"]
LongTextCutError = Literal["cut", "error"]
LongTextWindowsError = Literal["windows", "error"]


class ClassifyOptions(TypedDict, total=False):
    """The options of classify: the labels of a text or a pair, best first: a classifier's own, or those that the
    caller names."""

    # the labels to choose from, for a model that reads labels (GLiClass)
    labels: Iterable[str] | None
    # with labels, the name of each label in the results, so that a label can be a description
    names: Iterable[str] | None
    # with labels, each label is scored independently, from 0 to 1
    multi_label: bool | None
    # the largest number of labels for each text
    top_k: int | None
    # how a label's scores in the windows of a long text become one: their mean, or the largest
    window_scores: WindowScores | None
    # what is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    # reads all of it in windows, error refuses it
    long_text: LongText | None
    # the number of tokens that a window of a long text shares with the next window
    stride: int | None


class ZeroShotOptions(TypedDict, total=False):
    """The options of zero_shot: the candidate labels of a text, best first, by a classifier of natural language
    inference."""

    # the sentence that is tested for each label, with {} in the place of the label
    hypothesis_template: str | None
    # each label is scored independently, because several may apply
    multi_label: bool | None
    # the largest number of labels for each text
    top_k: int | None
    # how a label's scores in the windows of a long text become one: their mean, or the largest
    window_scores: WindowScores | None
    # what is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    # reads all of it in windows, error refuses it
    long_text: LongText | None
    # the number of tokens that a window of a long text shares with the next window
    stride: int | None


class TagOptions(TypedDict, total=False):
    """The options of tag: the entities of a text, or a label for each of its words."""

    # the kinds of entities to find, for a model that reads labels (GLiNER)
    labels: Iterable[str] | None
    # with labels, the name of each label in the results, so that a label can be a description
    names: Iterable[str] | None
    # with labels, the score that an entity must exceed
    threshold: float | None
    # with labels, an entity may lie inside another one
    nested: bool | None
    # with labels, an entity may have several labels
    multi_label: bool | None
    # how tokens become entities: none leaves each token alone, simple joins neighbours of one label; first,
    # average and max give each word one label, by its first token, the mean of its tokens or the token with the
    # highest score; an input of words takes one of these three, by default first
    aggregation: Aggregation | None
    # the letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end)
    # and S- (single), bilou L- (last) and U- (unit); auto finds out by the labels
    scheme: Scheme | None
    # what is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    # reads all of it in windows, error refuses it
    long_text: LongText | None
    # the number of tokens that a window of a long text shares with the next window
    stride: int | None


class FillMaskOptions(TypedDict, total=False):
    """The options of fill_mask: for each mask of a text the words that fit best."""

    # the number of words for each mask
    top_k: int | None
    # the words to list, whose scores remain those among all words
    targets: Iterable[str] | None
    # what is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    # reads all of it in windows, error refuses it
    long_text: LongTextCutError | None


class AnswerOptions(TypedDict, total=False):
    """The options of answer: the parts of a context that answer a question, best first: a pair of both."""

    # the number of answers to each question
    top_k: int | None
    # the largest number of tokens in an answer
    max_answer_tokens: int | None
    # the answer may be "", which says that the context has none
    no_answer: bool | None
    # the number of tokens in a window, at most as many as the model reads
    window_tokens: int | None
    # an answer consists of whole words
    align_to_words: bool | None
    # what is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    # reads all of it in windows, error refuses it
    long_text: LongText | None
    # the number of tokens that a window of a long text shares with the next window
    stride: int | None


class NextSentenceOptions(TypedDict, total=False):
    """The options of next_sentence: whether the second of two texts follows the first."""

    # what is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    # reads all of it in windows, error refuses it
    long_text: LongTextCutError | None


class ChooseOptions(TypedDict, total=False):
    """The options of choose: how well each text continues the given one."""

    # what is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    # reads all of it in windows, error refuses it
    long_text: LongTextCutError | None


class RerankOptions(TypedDict, total=False):
    """The options of rerank: how well each text fits a query."""

    # for a classifier with two labels, the label whose score counts: by default the one called relevant
    relevant_label: str | None
    # the largest number of results
    top_k: int | None
    # what is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    # reads all of it in windows, error refuses it
    long_text: LongText | None
    # the number of tokens that a window of a long text shares with the next window
    stride: int | None


class RedactOptions(TypedDict, total=False):
    """The options of redact: a text without the names in it."""

    # the kinds of entities to find, for a model that reads labels (GLiNER)
    labels: Iterable[str] | None
    # the labels of the entities to replace: by default all
    only: Iterable[str] | None
    # the score that an entity must exceed: by default 0.5 for a model that reads labels, 0 for others
    threshold: float | None
    # how tokens become entities, as in tag
    aggregation: Aggregation | None
    # the letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end)
    # and S- (single), bilou L- (last) and U- (unit); auto finds out by the labels
    scheme: Scheme | None
    # what replaces a part; {label} is the label of the part, {hash} a digest of its text by the key
    replace: str | None
    # a character that replaces each character of a part
    mask: str | None
    # what is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    # reads all of it in windows, error refuses it
    long_text: LongTextWindowsError | None
    # the number of tokens that a window of a long text shares with the next window
    stride: int | None
