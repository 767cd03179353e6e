"""Components for Haystack; needs the package haystack-ai."""

from dataclasses import replace
from typing import Any

from haystack import Document, component, default_to_dict

from .model import Model

__all__ = ["BertInferDocumentEmbedder", "BertInferTextEmbedder"]


class Embedder:
    """The common part of both components. model: an argument of bert_infer.Model; None is the built-in model."""

    def __init__(self, model: str | None = None, *, normalize_embeddings: bool = False, threads: int = 0) -> None:
        self.model = model
        self.normalize_embeddings = normalize_embeddings
        self.threads = threads
        self._loaded: Model | None = None

    def warm_up(self) -> None:
        """Loads the model. `run` also does it."""
        if self._loaded is None:
            self._loaded = Model(self.model, threads=self.threads)

    def to_dict(self) -> dict[str, Any]:
        """Returns the component's settings for a pipeline's file."""
        settings = {"normalize_embeddings": self.normalize_embeddings, "threads": self.threads}
        written: dict[str, Any] = default_to_dict(self, model=self.model, **settings)
        return written

    def _model(self) -> Model:
        self.warm_up()
        assert self._loaded is not None
        return self._loaded


@component
class BertInferTextEmbedder(Embedder):
    """Makes the vector of a query, with the model's prompt for queries."""

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, Any]:
        vector = self._model().encode_query(text, normalize_embeddings=self.normalize_embeddings)
        return {"embedding": vector.tolist()}


@component
class BertInferDocumentEmbedder(Embedder):
    """Makes the vectors of documents' contents, with the model's prompt for documents."""

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        texts = [document.content or "" for document in documents]
        vectors = self._model().encode_document(texts, normalize_embeddings=self.normalize_embeddings)
        pairs = zip(documents, vectors, strict=True)
        return {"documents": [replace(document, embedding=vector.tolist()) for document, vector in pairs]}
