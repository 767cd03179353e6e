"""BERT encoders without torch: the reference's numbers, the same bits on every CPU.

>>> import bert_infer
>>> model = bert_infer.Model()  # the built-in English model; or a directory, or a name in the hub's cache
>>> vectors = model.encode(["A man plays the guitar.", "Somebody makes music.", "The stock market fell."])
>>> vectors.shape
(3, 160)
>>> similarity = model.similarity(vectors[0], vectors[1:])
>>> bool(similarity[0, 0] > similarity[0, 1])
True
"""

from ._engine import __version__
from .clusters import cluster, dedup
from .errors import (
    Error,
    InvalidArgumentError,
    InvalidFileError,
    InvalidTextError,
    IoError,
    NonFiniteError,
    NotFoundError,
    Notice,
    UnsupportedError,
)
from .experiments import Experiment, sample_texts
from .index import Index, semantic_search
from .model import Model
from .redaction import redact
from .vectors import plain

__all__ = [
    "Error",
    "Experiment",
    "Index",
    "InvalidArgumentError",
    "InvalidFileError",
    "InvalidTextError",
    "IoError",
    "Model",
    "NonFiniteError",
    "NotFoundError",
    "Notice",
    "UnsupportedError",
    "__version__",
    "cluster",
    "dedup",
    "plain",
    "redact",
    "sample_texts",
    "semantic_search",
]
