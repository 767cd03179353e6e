"""What the adapters for other packages share: loading by the arguments that those packages pass."""

from typing import Any

from .model import Model
from .sentence_transformers.tensors import check_device


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
