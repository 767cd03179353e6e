"""Embeddings and a reranker for LangChain; needs the package langchain-core."""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from pydantic import ConfigDict, PrivateAttr

from .adapters import loaded, without_device
from .errors import InvalidArgumentError, check_text, checked_list
from .model import Model

__all__ = ["BertInferEmbeddings", "BertInferReranker"]


class BertInferEmbeddings(Embeddings):
    """Makes vectors with a model. Documents get the model's prompt for documents, queries its prompt for queries.

    model: a loaded Model, or an argument of bert_infer.Model; None is the built-in model. model_name: another name of
    this argument, as in LangChain's own classes. model_kwargs: arguments of bert_infer.Model. encode_kwargs: arguments
    of Model.encode. query_encode_kwargs: those for queries; default: encode_kwargs. In these arguments device "cpu" and
    trust_remote_code have no effect; neither has multi_process.
    """

    def __init__(
        self,
        model: "Model | str | None" = None,
        *,
        model_name: str | None = None,
        model_kwargs: dict[str, Any] | None = None,
        encode_kwargs: dict[str, Any] | None = None,
        query_encode_kwargs: dict[str, Any] | None = None,
        normalize_embeddings: bool = False,
        cache_folder: str | None = None,
        multi_process: bool = False,
        show_progress: bool = False,
    ) -> None:
        if model is not None and model_name is not None:
            raise InvalidArgumentError("model and model_name, expected one of them")
        options = {**({} if cache_folder is None else {"cache_folder": cache_folder}), **(model_kwargs or {})}
        self.model = loaded(model_name if model is None else model, options)
        common = {"normalize_embeddings": normalize_embeddings, "show_progress_bar": show_progress}
        self.encode_kwargs = {**common, **without_device(encode_kwargs or {})}
        self.query_encode_kwargs = {**common, **without_device(query_encode_kwargs or encode_kwargs or {})}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        listed = checked_list("texts", texts, "texts")
        return self.model.encode_document(listed, **self.encode_kwargs).tolist()

    def embed_query(self, text: str) -> list[float]:
        check_text("text", text)
        return self.model.encode_query(text, **self.query_encode_kwargs).tolist()

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        listed = checked_list("texts", texts, "texts")
        vectors = await self.model.aencode_document(listed, **self.encode_kwargs)
        return vectors.tolist()

    async def aembed_query(self, text: str) -> list[float]:
        check_text("text", text)
        vector = await self.model.aencode_query(text, **self.query_encode_kwargs)
        return vector.tolist()


class BertInferReranker(BaseDocumentCompressor):
    """Selects the documents that fit a query best, by Model.rerank. Adds relevance_score to their metadata.

    model_name: an argument of bert_infer.Model; None is the built-in model. top_n: the number of documents.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, protected_namespaces=())

    model_name: str | None = None
    model_kwargs: dict[str, Any] = {}
    top_n: int = 3
    _model: Model = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        self._model = loaded(self.model_name, self.model_kwargs)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        ranked = self._model.rerank(query, [document.page_content for document in documents], top_k=self.top_n)
        return [
            Document(
                page_content=documents[one["corpus_id"]].page_content,
                metadata={**documents[one["corpus_id"]].metadata, "relevance_score": one["score"]},
            )
            for one in ranked
        ]
