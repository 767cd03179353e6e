"""Writes a model of the drop-in into a directory: the model's files, and its current settings."""

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError, notify
from ..hub import FILES

if TYPE_CHECKING:
    from .base import BaseModel

Module = tuple[str, str, dict[str, Any]]  # the folder, the class, the content of its file

TRANSFORMER = "sentence_transformers.base.modules.transformer.Transformer"
POOLING = "sentence_transformers.sentence_transformer.modules.pooling.Pooling"
SPLADE = "sentence_transformers.sparse_encoder.modules.splade_pooling.SpladePooling"
SAVED_ACTIVATIONS = {
    "Identity": "torch.nn.modules.linear.Identity",
    "Sigmoid": "torch.nn.modules.activation.Sigmoid",
}


def save(model: "BaseModel", path: "str | os.PathLike[str]") -> None:
    """Writes the model into `path`. A model that is loaded from there gives the same vectors."""
    description = model.model.describe()
    if description["is_builtin"]:
        raise UnsupportedError("save of the built-in model is not supported: it has no files")
    settings = model._settings()
    if (precision := model._loading["precision"]) in ("int8", "bfloat16"):
        notify(f"the files are saved in the numbers that they have; precision={precision!r} is for loading them again")
    source, target = Path(description["source"]), Path(path)
    for kind in FILES:
        for file in source.rglob(kind):
            copy = target / file.relative_to(source)
            if not (copy.exists() and copy.samefile(file)):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
    if not (target / "modules.json").exists():
        settings["model_type"] = model.model_type
        _write_modules(target, model._modules_without_file())
    if (target / "modules.json").exists():
        _add(target / "config_sentence_transformers.json", settings)
    elif model._settings() != type(model)(source)._settings():  # no other file could hold the settings
        raise UnsupportedError("save of changed settings is not supported: the model's directory has no modules.json")
    if model.max_seq_length != model.model.max_length:
        folders = [file.parent for file in target.rglob("config.json") if _is_transformer(file)]
        if not folders:
            raise UnsupportedError("save of max_seq_length is not supported: the model has no encoder")
        for folder in folders:
            _add(_transformer_file(folder), {"max_seq_length": model.max_seq_length})


def activation_name(activation: Any) -> str | None:
    """Returns the name of a CrossEncoder's activation for its files; None for the model's own activation."""
    if activation is None:
        return None
    kind = activation if isinstance(activation, type) else type(activation)
    if kind.__module__.split(".")[0] != "torch" or kind.__name__ not in SAVED_ACTIVATIONS:
        raise UnsupportedError(
            f"save of activation_fn={activation!r} is not supported, expected Identity or Sigmoid of torch.nn"
        )
    return SAVED_ACTIVATIONS[kind.__name__]


def encoder(task: str) -> Module:
    """Returns the first module of a model whose directory has no modules.json."""
    return "", TRANSFORMER, {"transformer_task": task}


def _write_modules(target: Path, modules: "list[Module]") -> None:
    """Writes modules.json, without which the settings are not read, and a file for each module."""
    if not modules:
        return
    listed = [
        {"idx": i, "name": str(i), "path": folder, "type": kind} for i, (folder, kind, _) in enumerate(modules)
    ]
    (target / "modules.json").write_text(json.dumps(listed, indent=2), encoding="utf-8")
    for folder, _, content in modules:
        (target / folder).mkdir(exist_ok=True)
        _add(target / folder / "config.json" if folder else _transformer_file(target), content)


def _add(file: Path, settings: dict[str, Any]) -> None:
    """Adds settings to those that the file has."""
    written = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    file.write_text(json.dumps(written | settings, indent=2, sort_keys=True), encoding="utf-8")


def _is_transformer(config: Path) -> bool:
    return json.loads(config.read_text(encoding="utf-8")).get("model_type") not in (None, "model2vec")


def _transformer_file(folder: Path) -> Path:
    """The settings of a Transformer module; older names have the family: sentence_roberta_config.json."""
    own = folder / "sentence_bert_config.json"
    return own if own.exists() else next(iter(sorted(folder.glob("sentence_*_config.json"))), own)
