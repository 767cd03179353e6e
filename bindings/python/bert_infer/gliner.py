"""A drop-in for gliner's GLiNER: finds entities by labels that each call gives, without torch.

    from bert_infer.gliner import GLiNER

    model = GLiNER.from_pretrained("path/to/gliner_small-v2.1")
    model.predict_entities("Ada Lovelace lived in London.", ["person", "city"])

Weights are read from model.safetensors, which tools/convert_weights.py makes from pytorch_model.bin.
"""

import dataclasses
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .errors import InvalidArgumentError, UnsupportedError, check_integer, checked_list
from .model import Model, load_again
from .runs import Texts
from .sentence_transformers.tensors import check_device, cpu_device
from .sentence_transformers.tokenizer import Tokenizer

if TYPE_CHECKING:
    from .types import Entity

__all__ = ["GLiNER"]

Labels = str | Iterable[str] | Mapping[str, str]

CONFIG = "gliner_config.json"
# The defaults of gliner 0.2.29 for keys that a file does not have.
CONFIG_DEFAULTS: dict[str, Any] = {
    "model_name": "microsoft/deberta-v3-small", "name": "gliner", "max_width": 12, "hidden_size": 512, "dropout": 0.4,
    "fine_tune": True, "subtoken_pooling": "first", "span_mode": "markerV0", "post_fusion_schema": "",
    "num_post_fusion_layers": 1, "vocab_size": -1, "max_neg_type_ratio": 1, "max_types": 25, "max_len": 384,
    "words_splitter_type": "whitespace", "num_rnn_layers": 1, "fuse_layers": False, "embed_ent_token": True,
    "class_token_index": -1, "encoder_config": None, "ent_token": "<<ENT>>", "sep_token": "<<SEP>>",
}
FLOAT32 = {"fp32", "float32", "float", "torch.float32"}
BFLOAT16 = {"bf16", "bfloat16", "torch.bfloat16"}
WORDS = re.compile(r"\w+(?:[-_]\w+)*|\S")


class Config:
    """The keys of gliner_config.json as attributes. max_len and max_width may be set; later calls use the new
    values."""

    max_len: Any
    max_width: Any

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    def to_dict(self) -> dict[str, Any]:
        """Returns all keys and values."""
        return dict(self.__dict__)

    def __repr__(self) -> str:
        return f"Config({self.__dict__!r})"


class DataProcessor:
    """Has the attributes of gliner's class that programs read: `config`, `transformer_tokenizer` and
    `words_splitter`."""

    def __init__(self, config: Config, tokenizer: Tokenizer) -> None:
        self.config = config
        self.transformer_tokenizer = tokenizer

    @staticmethod
    def words_splitter(text: str) -> Iterator[tuple[str, int, int]]:
        """Yields each word of a text with its begin and its end."""
        for word in WORDS.finditer(text):
            yield word.group(), word.start(), word.end()


def _refuse(given: Mapping[str, Any]) -> None:
    """Raises an error that names the first argument given, because the engine cannot do what the argument asks."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise UnsupportedError(f"{name}={value!r} is not supported")


def _precision(quantize: Any, dtype: Any, variant: Any) -> Literal["stored", "bfloat16", "int8"]:
    """Returns the engine's precision for these arguments."""
    if dtype is not None and str(dtype).lower() not in FLOAT32 | BFLOAT16:
        raise UnsupportedError(f"dtype={dtype!r} is not supported, expected float32 or bfloat16: in these the engine "
                               "computes, whatever the type of the weights")
    if variant is not None:
        raise UnsupportedError(f"variant={variant!r} is not supported: the engine reads model.safetensors")
    if quantize is None or quantize is False:
        return "bfloat16" if str(dtype).lower() in BFLOAT16 else "stored"
    word = quantize.lower() if isinstance(quantize, str) else ""
    if word in BFLOAT16:
        return "bfloat16"
    if word != "int8":
        raise InvalidArgumentError(f"quantize={quantize!r}, expected 'int8', 'bf16' or None")
    return "int8"


def _prompts_and_names(labels: Any) -> tuple[list[str], list[str]]:
    """Returns the texts that the model reads and the names that results show. The two differ if labels is a mapping."""
    if isinstance(labels, Mapping):
        names, prompts = list(labels), list(labels.values())
        if not all(isinstance(text, str) for text in names + prompts):
            raise TypeError("label descriptions: expected strings only")
        if len(set(prompts)) != len(prompts):
            raise InvalidArgumentError("label descriptions: expected each once")
        return prompts, names
    listed = [labels] if isinstance(labels, str) else checked_list("labels", labels, "labels")
    if not all(isinstance(label, str) for label in listed):
        raise TypeError("labels: expected strings only")
    return listed, listed


def _of_each(name: str, value: Any, count: int) -> list[Any]:
    """Returns a list with the value for each text. The value is a list with one for each text, or one for all texts."""
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise InvalidArgumentError(f"{name} of {len(value)} texts, expected {count}")
    return list(value)


class GLiNER:
    """A GLiNER model: a uni-encoder or a bi-encoder, of spans or of tokens."""

    def __init__(self, model: Model) -> None:
        """model: a bert_infer.Model that reads labels."""
        if not model.reads_labels:
            raise UnsupportedError(f"{model!r} does not read labels, expected a GLiNER model")
        self.model = model
        file = Path(model.describe()["source"]) / CONFIG
        if file.is_file():
            written = CONFIG_DEFAULTS | json.loads(file.read_text(encoding="utf-8"))
        else:
            written = {"max_len": None, "max_width": None}  # another kind, which has no such limits
        source = model._source
        written["max_len"] = source.max_words or written["max_len"]
        written["max_width"] = source.max_width or written["max_width"]
        self.config = Config(written)
        self._limits = (self.config.max_len, self.config.max_width)

    @classmethod
    def from_pretrained(
        cls,
        model_id: "str | os.PathLike[str]",
        revision: str | None = None,
        cache_dir: "str | os.PathLike[str] | None" = None,
        force_download: bool = False,
        proxies: dict[str, Any] | None = None,
        resume_download: bool = False,
        local_files_only: bool = False,
        token: str | bool | None = None,
        map_location: Any = "cpu",
        strict: bool = False,
        load_tokenizer: bool | None = None,
        resize_token_embeddings: bool | None = True,
        compile_torch_model: bool | None = False,
        quantize: str | None = None,
        dtype: Any = None,
        low_cpu_mem_usage: bool = False,
        variant: str | None = None,
        load_onnx_model: bool | None = False,
        onnx_model_file: str | None = "model.onnx",
        max_length: int | None = None,
        max_width: int | None = None,
        post_fusion_schema: str | None = None,
        _attn_implementation: str | None = None,
        runtime: str | None = None,
        runtime_model_file: str | None = None,
        runtime_options: dict[str, Any] | None = None,
        *,
        session_options: Any = None,
        threads: int = 0,
        encoder: "str | os.PathLike[str] | None" = None,
        **model_kwargs: Any,
    ) -> "GLiNER":
        """Loads a model from a directory or by its name on the hub. threads, encoder: as for bert_infer.Model.

        max_length, max_width: replace the file's max_len (words of a text) and max_width (words of an entity). dtype:
        float32, or bfloat16, which rounds the factors of products. quantize: "int8", which uses the engine's 8-bit
        products, or "bf16", which older versions of gliner have and which acts as dtype. Arguments about torch's memory
        and about downloads have no effect. An error is raised for another dtype, for a device other than the CPU, for
        another runtime, a variant, a post_fusion_schema, and for every argument that gliner does not have.
        """
        if load_onnx_model:
            raise UnsupportedError("load_onnx_model: the engine reads model.safetensors, not an ONNX graph")
        if runtime is not None and str(runtime).lower() not in ("torch", "pytorch"):
            raise UnsupportedError(f"runtime={runtime!r} is not supported: the engine reads model.safetensors")
        check_device(map_location)
        _refuse({"post_fusion_schema": post_fusion_schema, "runtime_model_file": runtime_model_file,
                 "runtime_options": runtime_options})
        if model_kwargs:
            raise InvalidArgumentError(f"unknown argument {sorted(model_kwargs)[0]!r} of from_pretrained")
        for name, limit in (("max_length", max_length), ("max_width", max_width)):
            if limit is not None:
                check_integer(name, limit, 1)
        return cls(
            Model(
                model_id,
                threads=threads,
                precision=_precision(quantize, dtype, variant),
                revision=revision or "main",
                cache_folder=cache_dir,
                local_files_only=local_files_only,
                token=token,
                encoder=encoder,
                max_words=max_length,
                max_width=max_width,
            )
        )

    @property
    def device(self) -> Any:
        """The device, which is the CPU."""
        return cpu_device()

    @property
    def data_processor(self) -> DataProcessor:
        """The attributes of gliner's data processor that programs read."""
        return DataProcessor(self.config, Tokenizer(self.model))

    def quantize(self, dtype: str = "int8") -> None:
        """Makes the linear layers use 8-bit weights from now on, or bfloat16 ("bf16")."""
        self._reload(precision=_precision(dtype, None, None))

    def _reload(self, **changes: Any) -> None:
        self.model = load_again(type(self.model), dataclasses.replace(self.model._source, **changes))

    def _follow_config(self) -> None:
        """Loads the model again if the limits in the config were changed."""
        wanted = (self.config.max_len, self.config.max_width)
        if wanted == self._limits:
            return
        for name, limit in zip(("config.max_len", "config.max_width"), wanted, strict=True):
            check_integer(name, limit, 1)
        self._reload(max_words=wanted[0], max_width=wanted[1])
        self._limits = wanted

    def predict_entities(
        self,
        text: str,
        labels: Labels,
        flat_ner: bool = True,
        threshold: float = 0.5,
        multi_label: bool = False,
        return_class_probs: bool = False,
        **options: Any,
    ) -> list[dict[str, Any]]:
        """Returns the entities of a text: dicts of start, end, text, label and score. labels: names, or a mapping of
        names to descriptions, which the model reads instead. flat_ner: entities do not overlap. Other options of gliner
        are refused, as by `inference`."""
        options["return_class_probs"] = return_class_probs
        return self.inference([text], labels, flat_ner, threshold, multi_label, **options)[0]

    def inference(
        self,
        texts: "str | Sequence[str]",
        labels: "Labels | Sequence[Sequence[str]] | Sequence[Mapping[str, str]]",
        flat_ner: bool | Sequence[bool] = True,
        threshold: float | Sequence[float] = 0.5,
        multi_label: bool | Sequence[bool] = False,
        batch_size: int | None = None,
        packing_config: Any = None,
        input_spans: Any = None,
        return_class_probs: bool = False,
        **options: Any,
    ) -> list[list[dict[str, Any]]]:
        """Returns the entities of each of several texts. labels, flat_ner, threshold, multi_label: one value for all
        texts, or a list with one for each. batch_size and packing_config have no effect, because nothing is padded.
        input_spans, return_class_probs and other options are refused."""
        _refuse({"input_spans": input_spans, "return_class_probs": return_class_probs, **options})
        self._follow_config()
        listed = [texts] if isinstance(texts, str) else checked_list("texts", texts, "texts")
        each_has_labels = isinstance(labels, list) and any(isinstance(one, (list, Mapping)) for one in labels)
        if each_has_labels:
            sets = [_prompts_and_names(one) for one in _of_each("labels", labels, len(listed))]
        else:
            sets = [_prompts_and_names(labels)] * len(listed)
        given = {"flat_ner": flat_ner, "threshold": threshold, "multi_label": multi_label}
        settings = [_of_each(name, value, len(listed)) for name, value in given.items()]
        places: dict[Any, list[int]] = {}
        for index, ((prompts, names), *others) in enumerate(zip(sets, *settings, strict=True)):
            places.setdefault((tuple(prompts), tuple(names), *others), []).append(index)
        found: list[list[dict[str, Any]]] = [[] for _ in listed]
        for (prompts_, names_, flat, least, multi), indices in places.items():
            group = [listed[index] for index in indices]
            entities = self._of_all(group, (list(prompts_), list(names_)), flat, least, multi)
            for index, one in zip(indices, entities, strict=True):
                found[index] = one
        return found

    def batch_predict_entities(
        self,
        texts: Sequence[str],
        labels: Labels,
        flat_ner: bool | Sequence[bool] = True,
        threshold: float | Sequence[float] = 0.5,
        multi_label: bool | Sequence[bool] = False,
        **options: Any,
    ) -> list[list[dict[str, Any]]]:
        """Calls `inference`; this is its older name."""
        return self.inference(texts, labels, flat_ner, threshold, multi_label, **options)

    run = inference

    def _of_all(
        self,
        texts: list[str],
        labels: tuple[list[str], list[str]],
        flat_ner: bool,
        threshold: float,
        multi_label: bool,
    ) -> list[list[dict[str, Any]]]:
        prompts, names = labels
        if not prompts:
            return [[] for _ in texts]
        given = {"labels": prompts, "names": names, "threshold": threshold, "nested": not flat_ner,
                 "multi_label": multi_label, "long_text": "cut"}
        found = self.model._run_task("tag", given, Texts(texts))
        return [[_as_gliner(entity) for entity in result.output()] for result in found]

    def eval(self) -> "GLiNER":
        """Returns the model itself, because nothing is ever trained."""
        return self

    def to(self, device: Any) -> "GLiNER":
        """Returns the model itself. Raises an error unless the device is the CPU."""
        check_device(device)
        return self


def _as_gliner(entity: "Entity") -> dict[str, Any]:
    return {
        "start": entity["start"],
        "end": entity["end"],
        "text": entity["word"],
        "label": entity["entity"],
        "score": entity["score"],
    }
