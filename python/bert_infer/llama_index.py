"""Embeddings for LlamaIndex; needs the package llama-index-core."""

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr

from .model import Model

__all__ = ["BertInferEmbedding"]


class BertInferEmbedding(BaseEmbedding):
    """The vectors of a model: of documents with its prompt for documents, of a query with that for queries.

    model_name: what bert_infer.Model takes; "" is the built-in model.
    """

    model_name: str = ""
    normalize_embeddings: bool = False
    _model: Model = PrivateAttr()

    def __init__(self, model_name: str = "", **options: Any) -> None:
        super().__init__(model_name=model_name, **options)
        self._model = Model(model_name or None)

    @classmethod
    def class_name(cls) -> str:
        return "BertInferEmbedding"

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._model.encode_document(texts, normalize_embeddings=self.normalize_embeddings).tolist()

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._model.encode_query(query, normalize_embeddings=self.normalize_embeddings).tolist()

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors = await self._model.aencode_document(texts, normalize_embeddings=self.normalize_embeddings)
        return vectors.tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        vector = await self._model.aencode_query(query, normalize_embeddings=self.normalize_embeddings)
        return vector.tolist()
