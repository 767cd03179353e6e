"""A component for spaCy that gives each document its vector; needs the package spacy.

    import bert_infer.spacy
    nlp.add_pipe("bert_infer", config={"model": "all-MiniLM-L6-v2"})
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from .model import Model

__all__ = ["BertInferVectors"]


@Language.factory("bert_infer", default_config={"model": None, "threads": 0})
def make_component(nlp: Language, name: str, model: str | None, threads: int) -> "BertInferVectors":
    """model: what bert_infer.Model takes; None is the built-in model."""
    return BertInferVectors(model, threads)


class BertInferVectors:
    """Sets doc.vector, which doc.similarity compares."""

    def __init__(self, model: str | None = None, threads: int = 0) -> None:
        self.model = Model(model, threads=threads)

    def __call__(self, doc: Doc) -> Doc:
        doc.vector = self.model.encode(doc.text)
        return doc

    def pipe(self, docs: Iterable[Doc], batch_size: int = 256) -> Iterator[Doc]:
        """The documents in batches."""
        given = iter(docs)
        while batch := list(islice(given, batch_size)):
            for doc, vector in zip(batch, self.model.encode([doc.text for doc in batch]), strict=True):
                doc.vector = vector
                yield doc

    def to_disk(self, path: Path, **options: Any) -> None:
        """Nothing is written: the pipeline's configuration names the model."""

    def from_disk(self, path: Path, **options: Any) -> "BertInferVectors":
        """Nothing is read."""
        return self
