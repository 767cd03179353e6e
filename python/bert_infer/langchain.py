"""Embeddings for LangChain; needs the package langchain-core."""

from langchain_core.embeddings import Embeddings

from .model import Model

__all__ = ["BertInferEmbeddings"]


class BertInferEmbeddings(Embeddings):
    """The vectors of a model: of documents with its prompt for documents, of a query with that for queries.

    model: a loaded Model, or what bert_infer.Model takes; None is the built-in model.
    """

    def __init__(self, model: "Model | str | None" = None, *, normalize_embeddings: bool = False) -> None:
        self.model = model if isinstance(model, Model) else Model(model)
        self.normalize_embeddings = normalize_embeddings

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.model.encode_document(texts, normalize_embeddings=self.normalize_embeddings).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self.model.encode_query(text, normalize_embeddings=self.normalize_embeddings).tolist()

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors = await self.model.aencode_document(texts, normalize_embeddings=self.normalize_embeddings)
        return vectors.tolist()

    async def aembed_query(self, text: str) -> list[float]:
        vector = await self.model.aencode_query(text, normalize_embeddings=self.normalize_embeddings)
        return vector.tolist()
