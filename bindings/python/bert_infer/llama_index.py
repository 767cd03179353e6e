"""Embeddings for LlamaIndex; needs the package llama-index-core."""

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import ConfigDict, PrivateAttr

from .adapters import loaded, without_device
from .errors import InvalidArgumentError
from .model import Model

__all__ = ["BertInferEmbedding"]


class BertInferEmbedding(BaseEmbedding):
    """Makes vectors with a model. Documents get the model's prompt for documents, queries its prompt for queries.

    model_name: an argument of bert_infer.Model; "" is the built-in model. query_instruction, text_instruction: texts
    that are put before queries and documents, instead of the model's prompts. max_length: longer texts are cut to it.
    model_kwargs: arguments of bert_infer.Model. device "cpu" and trust_remote_code have no effect.
    """

    model_config = ConfigDict(protected_namespaces=())

    model_name: str = ""
    normalize_embeddings: bool = False
    query_instruction: str | None = None
    text_instruction: str | None = None
    max_length: int | None = None
    model_kwargs: dict[str, Any] = {}
    _model: Model = PrivateAttr()

    def __init__(self, model_name: str = "", **options: Any) -> None:
        options = without_device(options)
        unknown = sorted(set(options) - set(type(self).model_fields))
        if unknown:
            known = ", ".join(sorted(type(self).model_fields))
            raise InvalidArgumentError(f"the argument {unknown[0]!r} is unknown, expected one of {known}")
        super().__init__(model_name=model_name, **options)
        self._model = loaded(model_name or None, self.model_kwargs)

    @classmethod
    def class_name(cls) -> str:
        return "BertInferEmbedding"

    def _options(self, instruction: str | None) -> dict[str, Any]:
        common = {"normalize_embeddings": self.normalize_embeddings, "max_length": self.max_length}
        return common if instruction is None else {**common, "prompt": instruction}

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._model.encode_document(texts, **self._options(self.text_instruction)).tolist()

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._model.encode_query(query, **self._options(self.query_instruction)).tolist()

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors = await self._model.aencode_document(texts, **self._options(self.text_instruction))
        return vectors.tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        vector = await self._model.aencode_query(query, **self._options(self.query_instruction))
        return vector.tolist()
