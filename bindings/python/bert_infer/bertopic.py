"""The embedder for BERTopic; needs the package bertopic.

    BERTopic(embedding_model=BertInferBackend())
"""

from bertopic.backend import BaseEmbedder

from .adapters import DocumentEmbedder

__all__ = ["BertInferBackend"]


class BertInferBackend(DocumentEmbedder, BaseEmbedder):
    __doc__ = DocumentEmbedder.__doc__
