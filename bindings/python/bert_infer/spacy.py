"""A component for spaCy that gives each document its vector; needs the package spacy.

    import bert_infer.spacy
    nlp.add_pipe("bert_infer", config={"model": "all-MiniLM-L6-v2"})

The vector is in the extension doc._.bert_infer_vector, which spaCy serialises with a document. doc.vector reads it by a
hook, which spaCy does not serialise (its warning W109); `restored` gives the hook back to documents.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.tokens import Doc

from .errors import InvalidArgumentError
from .model import Model
from .vectors import similarity_pairwise

if TYPE_CHECKING:
    from .types import Vectors

__all__ = ["BertInferVectors", "restored"]

EXTENSION = "bert_infer_vector"

if not Doc.has_extension(EXTENSION):
    Doc.set_extension(EXTENSION, default=None)


def restored(docs: Iterable[Doc]) -> Iterator[Doc]:
    """Yields documents whose doc.vector works again after DocBin, to_bytes or nlp.pipe(n_process=2).

    DocBin needs store_user_data=True. Raises ValueError for a document without a vector of this component.
    """
    for index, doc in enumerate(docs):
        if doc._.get(EXTENSION) is None:
            hint = "expected one by the component bert_infer; DocBin keeps it with store_user_data=True"
            raise InvalidArgumentError(f"docs[{index}] has no vector in doc._.{EXTENSION}, {hint}")
        yield _with_hooks(doc)


def _with_hooks(doc: Doc) -> Doc:
    doc.user_hooks["vector"] = _vector
    doc.user_hooks["has_vector"] = _has_vector
    doc.user_hooks["similarity"] = _similarity
    return doc


def _vector(doc: Doc) -> "Vectors":
    import numpy as np

    vector = doc._.get(EXTENSION)
    return np.zeros(0, dtype=np.float32) if vector is None else vector  # None: of a part of a document, by as_doc


def _has_vector(doc: Doc) -> bool:
    return doc._.get(EXTENSION) is not None


def _similarity(doc: Doc, other: Any) -> float:
    """Returns the cosine of the two vectors."""
    a, b = doc.vector, other.vector
    if a.shape != b.shape or not len(a):
        hint = "expected two documents with vectors of one model; bert_infer.spacy.restored gives them back"
        raise InvalidArgumentError(f"vectors of shapes {a.shape} and {b.shape}, {hint}")
    return float(similarity_pairwise("cosine", a, b)[0])


@Language.factory("bert_infer", default_config={"model": None, "threads": 0})
def make_component(nlp: Language, name: str, model: str | None, threads: int) -> "BertInferVectors":
    """Makes the component. model: an argument of bert_infer.Model; None is the built-in model."""
    return BertInferVectors(model, threads)


class BertInferVectors:
    """Sets doc._.bert_infer_vector, which doc.vector returns and doc.similarity compares."""

    def __init__(self, model: str | None = None, threads: int = 0) -> None:
        self.model = Model(model, threads=threads)

    def __call__(self, doc: Doc) -> Doc:
        return self._set(doc, self.model.encode(doc.text))

    def pipe(self, docs: Iterable[Doc], batch_size: int = 256) -> Iterator[Doc]:
        """Sets the vectors of documents, batch by batch."""
        given = iter(docs)
        while batch := list(islice(given, batch_size)):
            for doc, vector in zip(batch, self.model.encode([doc.text for doc in batch]), strict=True):
                yield self._set(doc, vector)

    def _set(self, doc: Doc, vector: "Vectors") -> Doc:
        doc._.set(EXTENSION, vector)
        return _with_hooks(doc)

    def to_disk(self, path: Path, **options: Any) -> None:
        """Writes nothing, because the pipeline's configuration names the model."""

    def from_disk(self, path: Path, **options: Any) -> "BertInferVectors":
        """Reads nothing."""
        return self
