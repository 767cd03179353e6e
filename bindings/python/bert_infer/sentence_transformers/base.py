"""The common part of the drop-in's classes: the constructor's arguments, prompts, routes, files.

Each argument of sentence-transformers has the same effect here, has no effect on any result, or is refused by name.
"""

import json
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ..errors import InvalidArgumentError, NotFoundError, UnsupportedError, check_integer, notify, shown
from ..model import Model
from ..runs import is_pair
from . import mteb_calls, saving
from .modules import WithModules
from .tensors import check_device, check_float_type, is_float_type
from .tokenizer import Encoding, Tokenizer
from .util import SimilarityFunction

logger = logging.getLogger("bert_infer.sentence_transformers")

# Keys of model_kwargs and of processor_kwargs that change no result.
MODEL_WITHOUT_EFFECT = {"attn_implementation", "low_cpu_mem_usage", "use_safetensors"}
PROCESSOR_WITHOUT_EFFECT = {"use_fast", "clean_up_tokenization_spaces"}
# Keys that choose the type of the computed numbers, which here is float32.
FLOAT_TYPES = {"dtype", "torch_dtype"}


def refuse(options: dict[str, Any], without_effect: Sequence[str] = ()) -> None:
    """Raises an error that names the first argument that is given and not supported."""
    for name, value in options.items():
        if value is not None and name not in without_effect:
            raise UnsupportedError(f"{name}={value!r} is not supported")


def check_batch_size(batch_size: int) -> None:
    """Raises an error for a wrong batch size, which has no other effect."""
    check_integer("batch_size", batch_size, 1)


def check_optional(name: str, value: object) -> None:
    """Raises an error unless the value is None or an integer of at least 1."""
    if value is not None:
        check_integer(name, value, 1)


def shows_progress(asked: bool | None) -> bool:
    """Returns whether to show a progress bar. By default, as in sentence-transformers, if the log shows information."""
    return logger.getEffectiveLevel() in (logging.INFO, logging.DEBUG) if asked is None else asked


def given_inputs(inputs: Any, sentences: Any, batch_size: int, device: Any) -> Any:
    """Returns the texts, also if they are given by their name before sentence-transformers 5.4. A column of a data set
    becomes a list. Checks the batch size and the device, which have no effect."""
    check_device(device)
    check_batch_size(batch_size)
    texts = sentences if inputs is None else inputs
    if texts is None:
        raise InvalidArgumentError("no texts given")
    listed = texts.tolist() if type(texts).__module__.split(".")[0] == "numpy" else texts
    if isinstance(listed, (list, tuple)) and any(isinstance(one, dict) for one in listed):
        return [text_of(one) for one in listed]
    return text_of(listed)


def text_of(given: Any) -> Any:
    """Returns the text of an input by modalities, {"text": …}; returns any other input unchanged."""
    if not isinstance(given, dict):
        return given
    if set(given) != {"text"}:
        raise InvalidArgumentError(f"an input with the keys {shown(list(given))}, expected 'text' alone")
    return given["text"]


class ModelCardData:
    """Stores what evaluators report."""

    def __init__(self, base_model: str | None = None) -> None:
        self.base_model = base_model  # which tells models apart in a cache of vectors
        self.eval_results_dict: dict[Any, dict[str, Any]] = {}

    def set_evaluation_metrics(self, evaluator: Any, metrics: dict[str, Any], epoch: int = 0, step: int = 0) -> None:
        """Stores the metrics of an evaluator."""
        self.eval_results_dict[evaluator] = dict(metrics)


class BaseModel(WithModules):
    """A loaded model. If the model has a route for each task, it is loaded once for each route that is used."""

    prompts_of_roles: tuple[str, ...] = ("query", "document")  # prompts that every model has; "" if its files have none
    training = False
    model_type = "BaseModel"  # the value in config_sentence_transformers.json

    def __init__(
        self,
        model_name_or_path: "str | os.PathLike[str] | None" = None,
        *,
        modules: Any = None,
        device: Any = None,
        prompts: dict[str, str] | None = None,
        default_prompt_name: str | None = None,
        cache_folder: "str | os.PathLike[str] | None" = None,
        trust_remote_code: bool = False,
        revision: str | None = None,
        local_files_only: bool = False,
        token: bool | str | None = None,
        use_auth_token: bool | str | None = None,
        model_kwargs: dict[str, Any] | None = None,
        processor_kwargs: dict[str, Any] | None = None,
        tokenizer_kwargs: dict[str, Any] | None = None,
        config_kwargs: dict[str, Any] | None = None,
        model_card_data: Any = None,
        backend: str = "torch",
        threads: int = 0,
        precision: Any = "stored",
        packed_bytes: int = 0,
        packing: Literal["automatic", "never", "always"] = "automatic",
        static_file: Literal["config", "modules"] = "modules",
    ) -> None:
        if model_name_or_path is None:
            raise InvalidArgumentError("no model, expected a directory or a model's name on the hub")
        check_device(device)
        given = {"prompts": prompts, "model_kwargs": model_kwargs, "processor_kwargs": processor_kwargs}
        for name, value in given.items():
            if value is not None and not isinstance(value, Mapping):
                raise InvalidArgumentError(f"{name}: found {type(value).__name__}, expected a dict")
        refuse({"modules": modules, "config_kwargs": config_kwargs or None})
        _check_model_kwargs(model_kwargs or {})
        processor = dict(processor_kwargs or tokenizer_kwargs or {})
        max_length = processor.pop("model_max_length", None)
        check_optional("model_max_length", max_length)
        refuse(_named("processor_kwargs", processor, PROCESSOR_WITHOUT_EFFECT))
        if backend not in ("torch", "onnx", "openvino"):
            raise InvalidArgumentError(f"backend {backend!r}, expected 'torch', 'onnx' or 'openvino'")
        self._name = model_name_or_path
        self._loading: dict[str, Any] = {
            "cache_folder": cache_folder or os.environ.get("SENTENCE_TRANSFORMERS_HOME") or None,
            "local_files_only": local_files_only,
            "packed_bytes": packed_bytes,
            "packing": packing,
            "precision": precision,
            "revision": revision or "main",
            "static_file": static_file,
            "threads": threads,
            "token": use_auth_token if token is None else token,
        }
        self.model = Model(model_name_or_path, **self._loading)
        self._routes: dict[str | None, Model] = {None: self.model}
        # As in sentence-transformers, the prompts of the roles always exist, so that encode_query and encode_document
        # do not use the default prompt.
        of_roles = dict.fromkeys(self.prompts_of_roles, "")
        self.prompts = {**of_roles, **self.model.prompts, **(prompts or {})}
        self.default_prompt_name = default_prompt_name or self.model.default_prompt_name
        if self.default_prompt_name is not None:
            self._prompt(self.default_prompt_name, None)
        self.max_seq_length: int = max_length or self.model.max_length
        self.backend = backend
        self.model_card_data = model_card_data or ModelCardData(os.fspath(model_name_or_path))

    @property
    def tokenizer(self) -> Tokenizer:
        """The engine's tokenizer, with the methods that tools call."""
        return Tokenizer(self.model, self.max_seq_length)

    processor = tokenizer  # its name since sentence-transformers 5.4

    @property
    def mteb_model_meta(self) -> Any:
        """Metadata for MTEB, which accepts a model that has this attribute."""
        return mteb_calls.model_meta(self)

    def preprocess(self, inputs: Sequence[Any], prompt: str | None = None, **options: Any) -> Encoding:
        """Returns the ids of texts or pairs as tensors, [texts, tokens], with padding."""
        refuse(options, ("task",))
        inputs = [inputs] if isinstance(inputs, str) else [text_of(one) for one in inputs]
        for i, one in enumerate(inputs):
            if not isinstance(one, str) and not (isinstance(one, (tuple, list)) and is_pair(tuple(one))):
                raise TypeError(f"inputs[{i}]: found {type(one).__name__}, expected a text or a pair of texts")
        if not len(inputs):
            return Encoding()
        before = prompt or ""
        texts = [before + one if isinstance(one, str) else (before + one[0], one[1]) for one in inputs]
        features = self.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        features["modality"] = "text"
        if before:
            ids = self.tokenizer.encode(before)
            features["prompt_length"] = len(ids) - int(self.model.tokens(before)["special_tokens_mask"][-1])
        return features

    def tokenize(self, texts: Sequence[Any], **options: Any) -> Encoding:
        """Calls `preprocess`; this is its name before sentence-transformers 5.4."""
        return self.preprocess(texts, **options)

    def get_backend(self) -> str:
        """Returns the backend that the constructor was given; it has no effect, because there is only one engine."""
        return self.backend

    @property
    def modalities(self) -> list[str]:
        """The kinds of inputs, which are only texts."""
        return ["text"]

    def supports(self, modality: Any) -> bool:
        """Returns whether the model takes inputs of this kind."""
        return modality in self.modalities

    def is_singular_input(self, inputs: Any) -> bool:
        """Returns whether the input is one text or one conversation."""
        is_array = getattr(getattr(inputs, "dtype", None), "kind", "") in ("U", "O") and inputs.ndim > 0
        is_conversation = isinstance(inputs, list) and inputs and isinstance(inputs[0], dict) and "role" in inputs[0]
        is_column = type(inputs).__module__.startswith("datasets.")
        return bool(is_conversation) or not (isinstance(inputs, (list, tuple)) or is_array or is_column)

    def get_max_seq_length(self) -> int:
        """Returns the number of tokens to which texts are cut."""
        return self.max_seq_length

    def evaluate(self, evaluator: Any, output_path: str | None = None) -> Any:
        """Returns the evaluator's result for this model. The evaluator writes its files into output_path."""
        if output_path is not None:
            os.makedirs(output_path, exist_ok=True)
        return evaluator(self, output_path)

    def start_multi_process_pool(self, target_devices: Sequence[Any] | None = None) -> dict[str, Any]:
        """Returns a value for `pool`. No process is started; the threads of this process compute the same numbers."""
        check_device(list(target_devices or ()))
        return {"input": None, "output": None, "processes": []}

    @staticmethod
    def stop_multi_process_pool(pool: dict[str, Any]) -> None:
        """Does nothing, because no process was started."""

    def save(self, path: str | None, model_name: str | None = None, **options: Any) -> None:
        """Writes the model's files and its settings into a directory. The model in that directory gives the same
        vectors.

        Arguments for a model card have no effect, because none is written.
        """
        refuse(options, ("create_model_card", "train_datasets", "safe_serialization"))
        if options.get("safe_serialization") is False:
            raise UnsupportedError("safe_serialization=False is not supported: weights are written as safetensors")
        if path is not None:  # with None sentence-transformers saves nothing either
            saving.save(self, path)

    def save_pretrained(self, path: str | None, model_name: str | None = None, **options: Any) -> None:
        """Calls `save`."""
        self.save(path, model_name, **options)

    def compile(self, *places: Any, **options: Any) -> None:
        """Does nothing, because the engine is already compiled; results stay the same."""

    def eval(self) -> Any:
        """Returns the model, which has no other mode."""
        return self

    def train(self, mode: bool = True) -> Any:
        """Returns the model for mode=False. Raises an error otherwise, because a model cannot be trained here."""
        if mode:
            raise UnsupportedError("train() is not supported: this package computes vectors and trains nothing")
        return self

    def to(self, *places: Any, device: Any = None, dtype: Any = None, **options: Any) -> Any:
        """Returns the model. Raises an error for a device other than the CPU, or a type that is not float32 or 16 bits
        wide."""
        refuse(options, ("non_blocking",))
        for one in (*places, device, dtype):
            if is_float_type(one):
                check_float_type("to", one)
            elif not isinstance(one, bool):  # non_blocking by its place
                check_device(one)
        return self

    def cpu(self) -> Any:
        """Returns the model, which is on the CPU."""
        return self

    def float(self) -> Any:
        """Returns the model, which computes in float32."""
        return self

    def half(self) -> Any:
        """Returns the model, which computes in float32; a Notice says so."""
        return self.to("float16")

    def bfloat16(self) -> Any:
        """Does the same as `half`."""
        return self.to("bfloat16")

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out the hub's token, which is a secret."""
        return {**self.__dict__, "_loading": {**self._loading, "token": None}}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({os.fspath(self._name)!r})"

    def _written(self, setting: str) -> Any:
        """Returns a setting of config_sentence_transformers.json; None without the file."""
        path = Path(self.model.describe()["source"]) / "config_sentence_transformers.json"
        return json.loads(path.read_text(encoding="utf-8")).get(setting) if path.is_file() else None

    def _settings(self) -> dict[str, Any]:
        """Returns the settings for config_sentence_transformers.json."""
        return {"prompts": self.prompts, "default_prompt_name": self.default_prompt_name}

    def _prompt(self, name: str | None, text: str | None) -> str:
        if text is not None:
            if name is not None:
                notify("both prompt and prompt_name are given: prompt is used")
            return text
        name = name if name is not None else self.default_prompt_name
        if name is None:
            return ""
        if name not in self.prompts:
            known = ", ".join(self.prompts)
            expected = f"expected one of {known}" if known else "but the model has no prompts"
            raise InvalidArgumentError(f"prompt name {name!r}, {expected}")
        return self.prompts[name]

    def _route(self, task: str | None) -> Model:
        if task not in self._routes:
            try:
                self._routes[task] = Model(self._name, task=task, **self._loading)
            except NotFoundError:  # it has no routes
                self._routes[task] = self.model
            except InvalidArgumentError:  # it has adapters for other tasks, which a role does not name
                if task not in ("query", "document"):
                    raise
                self._routes[task] = self.model
        return self._routes[task]

    def _max_length(self, options: dict[str, Any]) -> int:
        """Returns the most tokens for a call. Removes processing_kwargs from the call's options."""
        text = dict((options.pop("processing_kwargs", None) or {}).get("text", {}))
        if text.pop("truncation", True) is not True:
            raise UnsupportedError("processing_kwargs without truncation are not supported")
        text.pop("padding", None)  # nothing is padded here, which changes no result
        max_length: int = text.pop("max_length", self.max_seq_length)
        refuse(_named("processing_kwargs", text, ()))
        return max_length


def similarity_name(given: Any, allowed: Sequence[str]) -> str | None:
    """Returns the name of a similarity, which may also be a member of sentence-transformers' own enumeration."""
    name: str | None = getattr(given, "value", given)
    if name is not None and name not in allowed:
        raise InvalidArgumentError(f"similarity_fn_name {name!r}, expected one of {', '.join(allowed)}")
    return name


DENSE_SIMILARITIES = tuple(
    one.value for one in SimilarityFunction if one not in (SimilarityFunction.MAXSIM, SimilarityFunction.MEAN_MAXSIM)
)


def _named(argument: str, options: dict[str, Any], without_effect: Any) -> dict[str, Any]:
    return {f"{argument}[{name!r}]": value for name, value in options.items() if name not in without_effect}


def _check_model_kwargs(options: dict[str, Any]) -> None:
    for name in FLOAT_TYPES & set(options):
        check_float_type(f"model_kwargs[{name!r}]", options[name])
    places = options.get("device_map")
    for place in places.values() if isinstance(places, Mapping) else [places]:
        if place not in (None, "cpu", "auto"):
            raise UnsupportedError(f"model_kwargs['device_map']={places!r} is not supported, expected 'cpu'")
    refuse(_named("model_kwargs", options, MODEL_WITHOUT_EFFECT | FLOAT_TYPES | {"device_map"}))
