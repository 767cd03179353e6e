"""The embedder for BERTopic; needs the package bertopic.

    BERTopic(embedding_model=BertInferBackend())
"""

from typing import TYPE_CHECKING, Any

from bertopic.backend import BaseEmbedder

from .adapters import loaded
from .model import Model

if TYPE_CHECKING:
    from .types import Vectors

__all__ = ["BertInferBackend"]


class BertInferBackend(BaseEmbedder):
    """The vectors of documents and of their words.

    model: a loaded Model, or what bert_infer.Model takes; None is the built-in model. options: of Model.encode.
    """

    def __init__(self, model: "Model | str | None" = None, **options: Any) -> None:
        super().__init__(embedding_model=loaded(model))
        self.options = options

    def embed(self, documents: list[str], verbose: bool = False) -> "Vectors":
        return self.embedding_model.encode(list(documents), show_progress_bar=verbose, **self.options)
