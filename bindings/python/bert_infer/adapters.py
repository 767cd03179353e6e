"""What the adapters for other packages share: loading by the arguments that those packages pass."""

from typing import TYPE_CHECKING, Any

from .errors import checked_list
from .model import Model
from .sentence_transformers.tensors import check_device

if TYPE_CHECKING:
    from .sentence_transformers import SentenceTransformer
    from .types import Vectors


def loaded(model: "Model | str | None", options: dict[str, Any] | None = None) -> Model:
    """A model that is loaded, or one by the arguments of bert_infer.Model.

    device "cpu" and trust_remote_code, which these packages pass to others, have no effect: no code of a model is run.
    """
    if isinstance(model, Model):
        return model
    return Model(model, **without_device(options or {}))


def loaded_encoder(model: Any) -> Any:
    """A model with encode, such as a SentenceTransformer of either package, as it is; another one as loaded."""
    has_encode = callable(getattr(model, "encode", None)) and not isinstance(model, (str, bytes))
    return model if has_encode else loaded(model)


def without_device(options: dict[str, Any]) -> dict[str, Any]:
    """The options without the device, which is the CPU, and without what has no effect."""
    check_device(options.get("device"))
    return {name: value for name, value in options.items() if name not in ("device", "trust_remote_code")}


class DocumentEmbedder:
    """The vectors of documents and of their words, for the embedders of KeyBERT and BERTopic, which this one precedes.

    model: what bert_infer.Model takes, where None is the built-in model; or a loaded one: a Model, or a
    SentenceTransformer of this package or of sentence-transformers. options: of its encode.
    """

    embedding_model: Any

    def __init__(self, model: "Model | SentenceTransformer | str | None" = None, **options: Any) -> None:
        super().__init__(embedding_model=loaded_encoder(model))  # type: ignore[call-arg]
        self.options = options

    def embed(self, documents: list[str], verbose: bool = False) -> "Vectors":
        texts = checked_list("documents", documents, "texts")
        vectors: "Vectors" = self.embedding_model.encode(texts, show_progress_bar=verbose, **self.options)
        return vectors
