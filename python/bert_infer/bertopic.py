"""The embedder for BERTopic; needs the package bertopic.

    BERTopic(embedding_model=BertInferBackend())
"""

from typing import TYPE_CHECKING, Any

from bertopic.backend import BaseEmbedder

from .adapters import loaded_encoder
from .errors import checked_list

if TYPE_CHECKING:
    from .model import Model
    from .sentence_transformers import SentenceTransformer
    from .types import Vectors

__all__ = ["BertInferBackend"]


class BertInferBackend(BaseEmbedder):
    """The vectors of documents and of their words.

    model: what bert_infer.Model takes, where None is the built-in model; or a loaded one: a Model, or a
    SentenceTransformer of this package or of sentence-transformers. options: of its encode.
    """

    def __init__(self, model: "Model | SentenceTransformer | str | None" = None, **options: Any) -> None:
        super().__init__(embedding_model=loaded_encoder(model))
        self.options = options

    def embed(self, documents: list[str], verbose: bool = False) -> "Vectors":
        texts = checked_list("documents", documents, "texts")
        return self.embedding_model.encode(texts, show_progress_bar=verbose, **self.options)
