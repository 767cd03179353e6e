"""A drop-in for gliner's GLiNER: entities by labels that are named with each call, without torch.

    from bert_infer.gliner import GLiNER

    model = GLiNER.from_pretrained("path/to/gliner_small-v2.1")
    model.predict_entities("Ada Lovelace lived in London.", ["person", "city"])

Weights are read from model.safetensors; tools/convert_weights.py makes it of a pytorch_model.bin.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _engine
from .errors import InvalidArgumentError, UnsupportedError, checked_list
from .model import Model
from .runs import Texts, results

if TYPE_CHECKING:
    from .types import Entity

__all__ = ["GLiNER"]

Labels = str | Iterable[str] | Mapping[str, str]

# Arguments of from_pretrained that cannot change what is computed here.
WITHOUT_EFFECT = {
    "map_location",
    "load_tokenizer",
    "resize_token_embeddings",
    "compile_torch_model",
    "strict",
    "low_cpu_mem_usage",
    "force_download",
    "proxies",
    "resume_download",
    "session_options",
    "onnx_model_file",
}


def _prompts_and_names(labels: Any) -> tuple[list[str], list[str]]:
    """What the model reads, and what results show: the same, or the descriptions and the names of a mapping."""
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


class GLiNER:
    """A model of the kinds uni-encoder and bi-encoder, of spans and of tokens."""

    def __init__(self, model: Model) -> None:
        """model: a bert_infer.Model that reads labels."""
        if not model.reads_labels:
            raise UnsupportedError(f"{model!r} does not read labels, expected a GLiNER model")
        self.model = model

    @classmethod
    def from_pretrained(
        cls,
        model_id: "str | os.PathLike[str]",
        *,
        revision: str | None = None,
        cache_dir: "str | os.PathLike[str] | None" = None,
        local_files_only: bool = False,
        token: str | bool | None = None,
        load_onnx_model: bool = False,
        threads: int = 0,
        encoder: "str | os.PathLike[str] | None" = None,
        **others: Any,
    ) -> "GLiNER":
        """A directory, or a model's name on the hub. threads, encoder: as of bert_infer.Model.

        Arguments about torch and about downloads have no effect; load_onnx_model and every other one is refused.
        """
        if load_onnx_model:
            raise UnsupportedError("load_onnx_model: the engine reads model.safetensors, not an ONNX graph")
        unknown = sorted(set(others) - WITHOUT_EFFECT)
        if unknown:
            raise InvalidArgumentError(f"unknown argument {unknown[0]!r} of from_pretrained")
        return cls(
            Model(
                model_id,
                threads=threads,
                revision=revision or "main",
                cache_folder=cache_dir,
                local_files_only=local_files_only,
                token=token,
                encoder=encoder,
            )
        )

    def predict_entities(
        self,
        text: str,
        labels: Labels,
        flat_ner: bool = True,
        threshold: float = 0.5,
        multi_label: bool = False,
    ) -> list[dict[str, Any]]:
        """The entities of a text: dicts of start, end, text, label and score. labels: names, or names with the
        descriptions that the model reads in their place. flat_ner: entities do not overlap."""
        return self.inference([text], labels, flat_ner, threshold, multi_label)[0]

    def inference(
        self,
        texts: "str | Sequence[str]",
        labels: "Labels | Sequence[Sequence[str]] | Sequence[Mapping[str, str]]",
        flat_ner: bool = True,
        threshold: float = 0.5,
        multi_label: bool = False,
        batch_size: int | None = None,
    ) -> list[list[dict[str, Any]]]:
        """The same of several texts. labels: of all texts, or a list of labels for each. batch_size has no effect."""
        listed = [texts] if isinstance(texts, str) else checked_list("texts", texts, "texts")
        of_each = isinstance(labels, list) and any(isinstance(one, (list, Mapping)) for one in labels)
        if not of_each:
            return self._of_all(listed, _prompts_and_names(labels), flat_ner, threshold, multi_label)
        sets: list[Any] = list(labels)
        if len(sets) != len(listed):
            raise InvalidArgumentError(f"labels of {len(sets)} texts, expected {len(listed)}")
        places: dict[tuple[tuple[str, ...], tuple[str, ...]], list[int]] = {}
        for index, one in enumerate(sets):
            prompts, names = _prompts_and_names(one)
            places.setdefault((tuple(prompts), tuple(names)), []).append(index)
        found: list[list[dict[str, Any]]] = [[] for _ in listed]
        for (prompts_, names_), indices in places.items():
            group = [listed[index] for index in indices]
            entities = self._of_all(group, (list(prompts_), list(names_)), flat_ner, threshold, multi_label)
            for index, one in zip(indices, entities, strict=True):
                found[index] = one
        return found

    def batch_predict_entities(
        self,
        texts: Sequence[str],
        labels: Labels,
        flat_ner: bool = True,
        threshold: float = 0.5,
        multi_label: bool = False,
    ) -> list[list[dict[str, Any]]]:
        """inference, under its older name."""
        return self.inference(texts, labels, flat_ner, threshold, multi_label)

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
        options = _engine.RunOptions()
        options.set_labels(prompts, names, threshold, not flat_ner, multi_label)
        return [
            [_as_gliner(entity) for entity in result.labelled_entities()]
            for result in results(self.model._engine, Texts(texts), options)
        ]

    def eval(self) -> "GLiNER":
        """Itself: nothing is ever trained."""
        return self

    def to(self, device: Any) -> "GLiNER":
        """Itself, on a CPU."""
        if not str(device).startswith("cpu"):
            raise UnsupportedError(f"device {str(device)!r}, expected 'cpu'")
        return self


def _as_gliner(entity: "Entity") -> dict[str, Any]:
    return {
        "start": entity["start"],
        "end": entity["end"],
        "text": entity["word"],
        "label": entity["entity"],
        "score": entity["score"],
    }
