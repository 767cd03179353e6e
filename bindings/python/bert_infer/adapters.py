"""Shared by the adapters for other packages: loads a model from the arguments that those packages pass."""

from typing import TYPE_CHECKING, Any

from .errors import checked_list
from .model import Model
from .sentence_transformers.tensors import check_device

if TYPE_CHECKING:
    from .sentence_transformers import SentenceTransformer
    from .types import Vectors


def loaded(model: "Model | str | None", options: dict[str, Any] | None = None) -> Model:
    """Returns a loaded model as it is, or loads one with the arguments of bert_infer.Model.

    These packages pass device "cpu" and trust_remote_code to other libraries; here the two have no effect, because no
    code of a model is run.
    """
    if isinstance(model, Model):
        return model
    return Model(model, **without_device(options or {}))


def loaded_encoder(model: Any) -> Any:
    """Returns an object that has encode, such as a SentenceTransformer of either package, as it is. For anything else
    returns what `loaded` returns."""
    has_encode = callable(getattr(model, "encode", None)) and not isinstance(model, (str, bytes))
    return model if has_encode else loaded(model)


def without_device(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options without the device, which must be the CPU, and without options that have no effect."""
    check_device(options.get("device"))
    return {name: value for name, value in options.items() if name not in ("device", "trust_remote_code")}


class DocumentEmbedder:
    """Makes vectors of documents and of their words. It is the first base class of the embedders for KeyBERT and
    BERTopic.

    model: an argument of bert_infer.Model (None: the built-in model), or a loaded model: a Model, or a
    SentenceTransformer of this package or of sentence-transformers. options: options of the model's encode.
    """

    embedding_model: Any

    def __init__(self, model: "Model | SentenceTransformer | str | None" = None, **options: Any) -> None:
        super().__init__(embedding_model=loaded_encoder(model))  # type: ignore[call-arg]
        self.options = options

    def embed(self, documents: list[str], verbose: bool = False) -> "Vectors":
        texts = checked_list("documents", documents, "texts")
        vectors: "Vectors" = self.embedding_model.encode(texts, show_progress_bar=verbose, **self.options)
        return vectors
