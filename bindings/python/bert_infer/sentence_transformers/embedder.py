"""A SentenceTransformer as an embedder of KeyBERT and BERTopic.

These packages take an instance of their own class BaseEmbedder. A model of another class whose module's name contains
"sentence_transformers" must be an instance of the original class; of any other they load one of their own choice. So a
model says that it is such an embedder where one of them is imported, as unittest.mock's objects do: by __class__, which
isinstance looks at. type(model) stays what it is.
"""

import sys
from functools import lru_cache
from typing import Any

from ..errors import checked_list

PACKAGES = ("keybert.backend", "bertopic.backend")


@lru_cache(maxsize=None)
def _class_with(bases: tuple[type, ...]) -> type:
    """For isinstance; nothing is made of it."""
    return type(bases[0].__name__, bases, {"__module__": bases[0].__module__, "__doc__": bases[0].__doc__})


class Embedder:
    """What KeyBERT and BERTopic call."""

    def _own_class(self) -> type:
        packages = [sys.modules[name] for name in PACKAGES if name in sys.modules]
        of_others = [package.BaseEmbedder for package in packages if hasattr(package, "BaseEmbedder")]
        return _class_with((type(self), *of_others)) if of_others else type(self)

    __class__ = property(_own_class)

    def __reduce__(self) -> tuple[Any, ...]:
        """By type(self): pickle's own way asks for __class__."""
        return _empty, (type(self),), self.__getstate__()

    def embed(self, documents: Any, verbose: bool = False) -> Any:
        """encode, as KeyBERT and BERTopic call it; verbose: with a bar."""
        model: Any = self
        return model.encode(checked_list("documents", documents, "texts"), show_progress_bar=verbose)

    def embed_documents(self, document: Any, verbose: bool = False) -> Any:
        """embed."""
        return self.embed(document, verbose)

    def embed_words(self, words: Any, verbose: bool = False) -> Any:
        """embed."""
        return self.embed(words, verbose)


def _empty(kind: type[Embedder]) -> Embedder:
    return kind.__new__(kind)
