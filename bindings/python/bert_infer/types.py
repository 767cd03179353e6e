"""The types of arguments and results, for annotations. Results are plain dicts, as those of transformers' pipelines."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, get_args

from . import task_options
from .task_options import (
    Aggregation as Aggregation,
    ClassifyOptions as ClassifyOptions,
    FillMaskOptions as FillMaskOptions,
    LongText as LongText,
    RerankOptions as RerankOptions,
    Scheme as Scheme,
    WindowScores as WindowScores,
    ZeroShotOptions as ZeroShotOptions,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float32]
    Vectors = NDArray[Any]
    Chunks = tuple[FloatArray, NDArray[np.int64]]  # vectors [chunks, size], and spans [chunks, 2] of the text
    SparseVector = tuple[NDArray[np.int32], FloatArray]  # ids, ascending, and their weights

# The unit of places in a text. Python slices a str by code points, JavaScript and Java by utf16.
OffsetUnit = Literal["bytes", "code_points", "utf16"]
OFFSET_UNITS = get_args(OffsetUnit)
VectorPrecision = Literal["float32", "int8", "uint8", "binary", "ubinary"]


class LabelScore(TypedDict):
    """A label of a classifier, and its score."""

    label: str
    score: float


class Entity(TypedDict):
    """A part of a text that a token classifier found: text[start:end]."""

    entity: str
    score: float
    word: str
    start: int
    end: int


class WordLabel(TypedDict):
    """A word of a text that the caller divided into words, and its label; None for a word that was cut off."""

    word: str
    label: str | None
    score: float | None


class Answer(TypedDict):
    """A part of a context that answers a question: context[start:end]."""

    answer: str
    score: float
    start: int
    end: int


class MaskCandidate(TypedDict):
    """A token for a mask; `sequence` is the text with this token in place of the mask."""

    token: str
    id: int
    score: float
    sequence: str


class RedactedPart(TypedDict):
    """A part of a text that was replaced: its label, and its place in the given text, in code points."""

    label: str
    start: int
    end: int


class Redacted(TypedDict):
    """A redacted text, and the parts that were replaced."""

    text: str
    replaced: list[RedactedPart]


class Ranked(TypedDict):
    """A document in a ranking; it has `text` only if that was requested."""

    corpus_id: int
    score: float
    text: NotRequired[str]


class WordNeighbor(TypedDict):
    """A word of the vocabulary, and the cosine of its vector in the embedding layer with the vector of the given
    words."""

    word: str
    id: int
    score: float


class Deduplicated(TypedDict):
    """The numbers of kept and dropped rows; `nearest` and `cosines` have an entry for each dropped row."""

    kept: "NDArray[np.int64]"
    dropped: "NDArray[np.int64]"
    nearest: "NDArray[np.int64]"
    cosines: "NDArray[np.float64]"


class Clusters(TypedDict):
    """The cluster of each row, and the centre and size of each cluster."""

    labels: "NDArray[np.int64]"
    cosines: "NDArray[np.float64]"
    centers: "FloatArray"
    sizes: "NDArray[np.int64]"


class Tokens(TypedDict):
    """The tokens of a text; every array has a row for each token."""

    tokens: list[str]
    ids: "NDArray[np.int32]"
    type_ids: "NDArray[np.int32]"
    special_tokens_mask: "NDArray[np.uint8]"
    word_ids: "NDArray[np.int32]"
    offsets: "NDArray[np.int64]"
    truncated_tokens: int


class Hidden(TypedDict):
    """The encoder's outputs for a text; None for an output that the model does not have or that was not requested."""

    tokens: list[str]
    last_hidden_state: "FloatArray"
    pooler_output: "FloatArray | None"
    hidden_states: "FloatArray | None"
    attentions: "FloatArray | None"
    contacts: "FloatArray | None"


class KindVectors(TypedDict, total=False):
    """Several kinds of vectors of the same texts, from Model.encode_kinds; only the requested kinds are present."""

    dense: "Vectors"
    sparse: "list[SparseVector]"
    tokens: "list[FloatArray]"


class EncodeOptions(TypedDict, total=False):
    """The options of Model.encode for vectors."""

    prompt_name: str | None
    prompt: str | None
    precision: VectorPrecision
    normalize_embeddings: bool
    truncate_dim: int | None
    max_length: int | None
    batch_tokens: int
    batch_size: int | None
    show_progress_bar: bool


class TokenOptions(TypedDict, total=False):
    """The options of Model.tokens."""

    max_length: int | None
    offsets: OffsetUnit


class TagOptions(task_options.TagOptions, total=False):
    """The options of Model.tag."""

    offsets: OffsetUnit


class AnswerOptions(task_options.AnswerOptions, total=False):
    """The options of Model.answer."""

    offsets: OffsetUnit


class RedactOptions(task_options.RedactOptions, total=False):
    """The options of Model.redact."""

    expressions: Mapping[str, str] | None
    key: bytes | None
