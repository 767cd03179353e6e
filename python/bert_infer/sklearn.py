"""A transformer of texts to vectors for scikit-learn; needs the package scikit-learn."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .model import Model

if TYPE_CHECKING:
    from .types import Vectors

__all__ = ["TextEmbedder"]


class TextEmbedder(TransformerMixin, BaseEstimator):
    """Texts to the vectors of a model, [texts, size]. Nothing is learned: fit loads the model.

    model: what bert_infer.Model takes; None is the built-in model. The other parameters are those of Model.encode.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        prompt: str | None = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        threads: int = 0,
    ) -> None:
        self.model = model
        self.prompt = prompt
        self.normalize_embeddings = normalize_embeddings
        self.truncate_dim = truncate_dim
        self.threads = threads

    def fit(self, X: Iterable[str], y: Any = None) -> "TextEmbedder":
        self._load()
        return self

    def transform(self, X: Iterable[str]) -> "Vectors":
        check_is_fitted(self)
        return self.model_.encode(
            list(X),
            prompt=self.prompt,
            normalize_embeddings=self.normalize_embeddings,
            truncate_dim=self.truncate_dim,
        )

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        import numpy as np

        check_is_fitted(self)
        size = min(self.model_.embedding_size(), self.truncate_dim or self.model_.embedding_size())
        return np.array([f"embedding{i}" for i in range(size)], dtype=object)

    def _load(self) -> None:
        self.model_ = Model(self.model, threads=self.threads)

    def __getstate__(self) -> dict[str, Any]:
        """Without the loaded model, which __setstate__ loads again: pickles stay small, and workers share the file."""
        state = dict(super().__getstate__())
        state["is_fitted"] = state.pop("model_", None) is not None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        is_fitted = state.pop("is_fitted", False)
        super().__setstate__(state)
        if is_fitted:
            self._load()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = True
        return tags
