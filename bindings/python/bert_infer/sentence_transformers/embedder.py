"""Makes a SentenceTransformer usable as an embedder of KeyBERT and BERTopic.

These packages accept an instance of their own class BaseEmbedder. If the name of a model's module contains
"sentence_transformers", they expect an instance of the original class; for any other model they load a model of their
own choice. So if one of these packages is imported, a model's __class__, which isinstance reads, says that the model is
such an embedder, as in unittest.mock's objects. type(model) does not change.
"""

import sys
from functools import lru_cache
from typing import Any

from ..errors import checked_list

PACKAGES = ("keybert.backend", "bertopic.backend")


@lru_cache(maxsize=None)
def _class_with(bases: tuple[type, ...]) -> type:
    """Returns a class for isinstance; no object of this class is made."""
    return type(bases[0].__name__, bases, {"__module__": bases[0].__module__, "__doc__": bases[0].__doc__})


class Embedder:
    """The methods that KeyBERT and BERTopic call."""

    def _own_class(self) -> type:
        packages = [sys.modules[name] for name in PACKAGES if name in sys.modules]
        of_others = [package.BaseEmbedder for package in packages if hasattr(package, "BaseEmbedder")]
        return _class_with((type(self), *of_others)) if of_others else type(self)

    __class__ = property(_own_class)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles by type(self), because pickle by default uses __class__."""
        return _empty, (type(self),), self.__getstate__()

    def embed(self, documents: Any, verbose: bool = False) -> Any:
        """Calls `encode`, as KeyBERT and BERTopic need it. verbose: shows a progress bar."""
        model: Any = self
        return model.encode(checked_list("documents", documents, "texts"), show_progress_bar=verbose)

    def embed_documents(self, document: Any, verbose: bool = False) -> Any:
        """Calls `embed`."""
        return self.embed(document, verbose)

    def embed_words(self, words: Any, verbose: bool = False) -> Any:
        """Calls `embed`."""
        return self.embed(words, verbose)


def _empty(kind: type[Embedder]) -> Embedder:
    return kind.__new__(kind)
