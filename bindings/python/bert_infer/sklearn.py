"""A scikit-learn transformer that makes vectors of texts; needs the package scikit-learn."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .errors import InvalidArgumentError
from .model import Model

if TYPE_CHECKING:
    from .types import Vectors

__all__ = ["TextEmbedder"]


class TextEmbedder(TransformerMixin, BaseEstimator):
    """Makes the vectors of texts, [texts, size], with a model. Nothing is learned; `fit` loads the model.

    model, threads, precision, revision, task: arguments of bert_infer.Model; model=None is the built-in model. The
    other parameters are arguments of Model.encode.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        prompt: str | None = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        threads: int = 0,
        precision: Any = "stored",
        revision: str = "main",
        task: str | None = None,
    ) -> None:
        self.model = model
        self.prompt = prompt
        self.normalize_embeddings = normalize_embeddings
        self.truncate_dim = truncate_dim
        self.threads = threads
        self.precision = precision
        self.revision = revision
        self.task = task

    def fit(self, X: Iterable[str], y: Any = None) -> "TextEmbedder":
        _check_several(X)
        self.model_ = Model(
            self.model, threads=self.threads, precision=self.precision, revision=self.revision, task=self.task
        )
        return self

    def transform(self, X: Iterable[str]) -> "Vectors":
        check_is_fitted(self)
        _check_several(X)
        return self.model_.encode(
            X if hasattr(X, "columns") else list(X),  # a table is refused by encode
            prompt=self.prompt,
            normalize_embeddings=self.normalize_embeddings,
            truncate_dim=self.truncate_dim,
        )

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        import numpy as np

        check_is_fitted(self)
        size = min(self.model_.embedding_size(), self.truncate_dim or self.model_.embedding_size())
        return np.array([f"embedding{i}" for i in range(size)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = True
        return tags


def _check_several(X: Any) -> None:
    """Raises a ValueError for a str, as scikit-learn's own text transformers do."""
    if isinstance(X, (str, bytes)):
        raise InvalidArgumentError(f"X: found {type(X).__name__}, expected an iterable over texts, as a list of str")
