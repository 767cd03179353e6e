"""CrossEncoder with the interface of sentence-transformers 6."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InvalidArgumentError, check_integer, checked_list
from ..runs import pair_of
from . import mteb_calls, saving
from .base import BaseModel, given_inputs, refuse, shows_progress
from .tensors import as_tensor

if TYPE_CHECKING:
    import os

# Argument names before sentence-transformers 5.4, and places of arguments that are now given by name only.
OLD_NAMES = {
    "automodel_args": "model_kwargs",
    "tokenizer_args": "processor_kwargs",
    "config_args": "config_kwargs",
    "cache_dir": "cache_folder",
    "default_activation_function": "activation_fn",
}
OLD_PLACES = ("num_labels", "max_length", "activation_fn", "device")


class CrossEncoder(BaseModel):
    """A classifier of pairs."""

    model_type = "CrossEncoder"
    prompts_of_roles = ()

    def __init__(
        self,
        model_name_or_path: "str | os.PathLike[str] | None" = None,
        *places: Any,
        num_labels: int | None = None,
        max_length: int | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        keep_in_fp32_modules: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        settings = {"num_labels": num_labels, "max_length": max_length, "activation_fn": activation_fn, **options}
        for old, new in OLD_NAMES.items():
            if old in settings:
                settings[new] = settings.pop(old)
        if "model_name" in settings:
            model_name_or_path = settings.pop("model_name")
        settings |= dict(zip(OLD_PLACES, places, strict=False))
        labels, limit = settings.pop("num_labels"), settings.pop("max_length")
        self.activation_fn = settings.pop("activation_fn")
        super().__init__(model_name_or_path, **settings)
        self.model.pair_scores([])  # raises an error if the model has no head
        self.num_labels = len(self.model.labels)
        if labels not in (None, self.num_labels):
            raise InvalidArgumentError(f"num_labels {labels}, but the model's head has {self.num_labels}")
        if limit is not None:
            check_integer("max_length", limit, 1)
            self.max_seq_length = limit

    @property
    def max_length(self) -> int:
        """The number of tokens to which pairs are cut."""
        return self.max_seq_length

    @max_length.setter
    def max_length(self, value: int) -> None:
        self.max_seq_length = value

    def is_singular_input(self, inputs: Any) -> bool:
        """Returns whether the input is one pair."""
        is_array = getattr(inputs, "ndim", 0) == 1 and inputs.dtype.kind in ("U", "O")
        return (isinstance(inputs, (list, tuple)) or is_array) and len(inputs) > 0 and isinstance(inputs[0], str)

    def predict(
        self,
        inputs: Any = None,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        apply_softmax: bool | None = False,
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: Any = None,
        pool: dict[str, Any] | None = None,
        chunk_size: int | None = None,
        *,
        sentences: Any = None,
        num_workers: int = 0,
        activation_fct: Callable[[Any], Any] | None = None,
        **options: Any,
    ) -> Any:
        """Returns a score for each pair, [pairs], or with several labels [pairs, labels]; for one pair, a number or
        [labels].

        activation_fn: a function of the logits, which are a tensor; by default the function that the model's files
        name, else the sigmoid for one label and none for several. activation_fct: the older name of activation_fn.
        num_workers has no effect. MTEB calls this with task_metadata, and with loaders of queries and documents.
        """
        import numpy as np

        if "task_metadata" in options:
            loaders = {"inputs1": inputs, "inputs2": prompt_name}  # by their places, if not by their names
            settings = {"batch_size": batch_size, "show_progress_bar": bool(show_progress_bar)}
            return mteb_calls.wrapped(self, "CrossEncoderWrapper").predict(**{**loaders, **settings, **options})
        pairs = checked_list("inputs", given_inputs(inputs, sentences, batch_size, device), "pairs of texts")
        max_length = self._max_length(options)
        refuse(options)
        is_single = len(pairs) == 2 and all(isinstance(text, str) for text in pairs)
        listed = [pair_of(pair, i) for i, pair in enumerate([pairs] if is_single else pairs)]
        activation = activation_fn or activation_fct or self.activation_fn
        rows = self.model.pair_scores(
            listed,
            activated=activation is None,
            prompt=self._prompt(prompt_name, prompt),
            max_length=max_length,
            show_progress_bar=shows_progress(show_progress_bar),
        )
        scores = np.stack(rows) if rows else np.zeros((0, self.num_labels), dtype=np.float32)
        if activation is not None:
            scores = np.asarray(activation(as_tensor(scores)))
        if apply_softmax and self.num_labels > 1:
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            scores = powers / powers.sum(axis=1, keepdims=True)
        if self.num_labels == 1:
            scores = scores[:, 0]
        result: Any = scores[0] if is_single else scores
        if convert_to_tensor:
            return as_tensor(result)
        if convert_to_numpy:
            return result
        return as_tensor(result) if is_single else [as_tensor(score) for score in result]

    def rank(
        self,
        query: str,
        documents: Sequence[str],
        top_k: int | None = None,
        return_documents: bool = False,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        device: Any = None,
        pool: dict[str, Any] | None = None,
        chunk_size: int | None = None,
        **options: Any,
    ) -> list[dict[str, Any]]:
        """Returns the documents, best first: dicts of corpus_id, score and, with return_documents, text."""
        if self.num_labels != 1:
            raise InvalidArgumentError(f"rank needs a model with one label; this one has {self.num_labels}")
        documents = checked_list("documents", documents, "texts")
        if top_k is not None:
            check_integer("top_k", top_k, 1)
        for without_effect in ("apply_softmax", "convert_to_numpy", "convert_to_tensor"):
            options.pop(without_effect, None)
        scores = self.predict(
            [(query, document) for document in documents],
            prompt_name,
            prompt,
            batch_size,
            show_progress_bar,
            activation_fn,
            device=device,
            **options,
        )
        ranked: list[dict[str, Any]] = [{"corpus_id": i, "score": float(score)} for i, score in enumerate(scores)]
        if return_documents:
            ranked = [{**one, "text": documents[i]} for i, one in enumerate(ranked)]
        return sorted(ranked, key=lambda one: -one["score"])[:top_k]

    def _settings(self) -> dict[str, Any]:
        name = saving.activation_name(self.activation_fn)
        return {**super()._settings(), **({} if name is None else {"activation_fn": name})}

    def _modules_without_file(self) -> list[saving.Module]:
        return [saving.encoder("sequence-classification")]
