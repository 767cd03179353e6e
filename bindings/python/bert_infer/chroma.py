"""The embedding function for Chroma; needs the package chromadb."""

from typing import Any

from chromadb.api.types import Documents, EmbeddingFunction, Embeddings, Space
from chromadb.utils.embedding_functions import register_embedding_function

from .model import Model

__all__ = ["BertInferEmbeddingFunction"]


@register_embedding_function
class BertInferEmbeddingFunction(EmbeddingFunction[Documents]):
    """Makes vectors with a model. Documents get the model's prompt for documents, queries its prompt for queries.

    model_name: an argument of bert_infer.Model; None is the built-in model. A collection stores the name, and loads the
    model again when the collection is opened.
    """

    def __init__(self, model_name: str | None = None, normalize_embeddings: bool = False) -> None:
        self.model_name = model_name
        self.normalize_embeddings = normalize_embeddings
        self._model = Model(model_name)

    def __call__(self, input: Documents) -> Embeddings:
        return list(self._model.encode_document(input, normalize_embeddings=self.normalize_embeddings))

    def embed_query(self, input: Documents) -> Embeddings:
        return list(self._model.encode_query(input, normalize_embeddings=self.normalize_embeddings))

    @staticmethod
    def name() -> str:
        return "bert_infer"

    def default_space(self) -> Space:
        return "cosine"

    def supported_spaces(self) -> list[Space]:
        return ["cosine", "l2", "ip"]

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> "BertInferEmbeddingFunction":
        return BertInferEmbeddingFunction(**config)

    def get_config(self) -> dict[str, Any]:
        return {"model_name": self.model_name, "normalize_embeddings": self.normalize_embeddings}

    def validate_config_update(self, old_config: dict[str, Any], new_config: dict[str, Any]) -> None:
        if new_config.get("model_name") != old_config.get("model_name"):
            raise ValueError("the model of a collection cannot be changed: its vectors are another model's")
