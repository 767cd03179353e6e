"""The embedder for KeyBERT; needs the package keybert.

    KeyBERT(BertInferBackend())
"""

from keybert.backend import BaseEmbedder

from .adapters import DocumentEmbedder

__all__ = ["BertInferBackend"]


class BertInferBackend(DocumentEmbedder, BaseEmbedder):
    __doc__ = DocumentEmbedder.__doc__
