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

    # of a model that reads labels (GLiClass): those that a text may have
    labels: Iterable[str] | None
    # with labels: what results have in place of each label, which then may be a description
    names: Iterable[str] | None
    # with labels: each score stands alone, from 0 to 1
    multi_label: bool | None
    # the largest number of labels for each text
    top_k: int | None
    # of windows: a label's score is the mean of its windows', or the largest
    window_scores: WindowScores | None
    # how a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    # windows; or not at all, which is an error
    long_text: LongText | None
    # the number of tokens that a window of a long text shares with the next one
    stride: int | None


class ZeroShotOptions(TypedDict, total=False):
    """The options of zero_shot: the candidate labels of a text, best first, by a classifier of natural language
    inference."""

    # the hypothesis for a label, with {} in its place
    hypothesis_template: str | None
    # several labels may apply: each score stands alone
    multi_label: bool | None
    # the largest number of labels for each text
    top_k: int | None
    # of windows: a label's score is the mean of its windows', or the largest
    window_scores: WindowScores | None
    # how a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    # windows; or not at all, which is an error
    long_text: LongText | None
    # the number of tokens that a window of a long text shares with the next one
    stride: int | None


class TagOptions(TypedDict, total=False):
    """The options of tag: the entities of a text, or a label for each of its words."""

    # of a model that reads labels (GLiNER): what is looked for
    labels: Iterable[str] | None
    # with labels: what results have in place of each label, which then may be a description
    names: Iterable[str] | None
    # with labels: entities have scores above it
    threshold: float | None
    # with labels: an entity may lie in another one
    nested: bool | None
    # with labels: an entity may have several of them
    multi_label: bool | None
    # how tokens become entities: each alone, neighbours of one kind together, or by words, with the label of the
    # first token, of the mean or of the highest-scoring token; of words the last three, by default first
    aggregation: Aggregation | None
    # what the letter before a label means where labels become entities: auto is the scheme of the model's labels;
    # B- and I- alone; also E- (end) and S- (single); or L- (last) and U- (unit)
    scheme: Scheme | None
    # how a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    # windows; or not at all, which is an error
    long_text: LongText | None
    # the number of tokens that a window of a long text shares with the next one
    stride: int | None


class FillMaskOptions(TypedDict, total=False):
    """The options of fill_mask: for each mask of a text the words that fit best."""

    # words for each mask
    top_k: int | None
    # only these words are listed; scores stay those among all words
    targets: Iterable[str] | None
    # how a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    # windows; or not at all, which is an error
    long_text: LongTextCutError | None


class AnswerOptions(TypedDict, total=False):
    """The options of answer: the parts of a context that answer a question, best first: a pair of both."""

    # answers of each question
    top_k: int | None
    # the longest answer
    max_answer_tokens: int | None
    # "" may be the best answer
    no_answer: bool | None
    # tokens of a window, or as many as the model has
    window_tokens: int | None
    # an answer has whole words
    align_to_words: bool | None
    # how a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    # windows; or not at all, which is an error
    long_text: LongText | None
    # the number of tokens that a window of a long text shares with the next one
    stride: int | None


class NextSentenceOptions(TypedDict, total=False):
    """The options of next_sentence: whether the second of two texts follows the first."""

    # how a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    # windows; or not at all, which is an error
    long_text: LongTextCutError | None


class ChooseOptions(TypedDict, total=False):
    """The options of choose: how well each text goes on after the first."""

    # how a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    # windows; or not at all, which is an error
    long_text: LongTextCutError | None


class RerankOptions(TypedDict, total=False):
    """The options of rerank: how well each text fits a query."""

    # of a classifier of two labels, the one that is the score: by default the one called relevant
    relevant_label: str | None
    # the largest number of results
    top_k: int | None
    # how a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    # windows; or not at all, which is an error
    long_text: LongText | None
    # the number of tokens that a window of a long text shares with the next one
    stride: int | None


class RedactOptions(TypedDict, total=False):
    """The options of redact: a text without the names in it."""

    # of a model that reads labels (GLiNER): what is looked for
    labels: Iterable[str] | None
    # of a model's entities only those with these labels
    only: Iterable[str] | None
    # entities have scores above it: by default 0.5 of a model that reads labels, 0 of others
    threshold: float | None
    # how tokens become entities, as in tag
    aggregation: Aggregation | None
    # what the letter before a label means where labels become entities: auto is the scheme of the model's labels;
    # B- and I- alone; also E- (end) and S- (single); or L- (last) and U- (unit)
    scheme: Scheme | None
    # what takes the place of a part; {label} is its label, {hash} a digest of it by the key
    replace: str | None
    # instead this character for each character of a part
    mask: str | None
    # how a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    # windows; or not at all, which is an error
    long_text: LongTextWindowsError | None
    # the number of tokens that a window of a long text shares with the next one
    stride: int | None
