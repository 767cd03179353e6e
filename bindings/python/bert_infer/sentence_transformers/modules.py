"""Describes a model's modules as its files do. The engine computes all modules together."""

import json
import struct
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from ..model import Model
from .tensors import OnCpu
from .tokenizer import Encoding, Tokenizer

if TYPE_CHECKING:
    from .saving import Module as SavedModule

FLOATS = {"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "I8"}  # of safetensors; other types are no weights


class Parameter(OnCpu):
    """The shape of a weight. The engine holds the numbers."""

    requires_grad = False

    def __init__(self, shape: Sequence[int]) -> None:
        self.shape = tuple(shape)

    def numel(self) -> int:
        """Returns how many numbers the weight has."""
        return prod(self.shape)

    def __repr__(self) -> str:
        return f"Parameter({list(self.shape)})"


class Config:
    """The entries of a JSON file as attributes."""

    def __init__(self, file: Path) -> None:
        self._entries: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}

    def __getattr__(self, name: str) -> Any:
        entries = self.__dict__.get("_entries", {})
        if name not in entries:
            raise AttributeError(f"no {name!r}, expected one of {', '.join(entries)}")
        return entries[name]

    def to_dict(self) -> dict[str, Any]:
        """Returns the entries as a dict."""
        return dict(self._entries)


class Module:
    """One of a model's modules: the name of its class, and the entries of its file as attributes."""

    def __init__(self, model: "WithModules", kind: str, folder: Path, settings: dict[str, Any] | None = None) -> None:
        self._model = model
        self._kind = kind
        self._folder = folder
        self._settings = Config(folder / "config.json").to_dict() if settings is None else settings

    def __getattr__(self, name: str) -> Any:
        settings = self.__dict__.get("_settings", {})
        if name not in settings:
            known = ", ".join(settings) or "none"
            raise AttributeError(f"{name!r} of {self.__dict__.get('_kind')} is the engine's; its file has {known}")
        return settings[name]

    def get_config_dict(self) -> dict[str, Any]:
        """Returns the entries of the module's file."""
        return dict(self._settings)

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """Yields the names and shapes of the weights in the module's folder."""
        for file in sorted(self._folder.glob("*.safetensors")):
            with file.open("rb") as content:
                (size,) = struct.unpack("<Q", content.read(8))
                header = json.loads(content.read(size))
            for name, about in header.items():
                if name != "__metadata__" and about["dtype"] in FLOATS:
                    yield name, Parameter(about["shape"])

    def parameters(self) -> Iterator[Parameter]:
        """Yields the shapes of the weights in the module's folder."""
        return (parameter for _, parameter in self.named_parameters())

    def __repr__(self) -> str:
        return f"{self._kind}({self._settings})"


class Encoder(OnCpu):
    """The transformers model in the first module: its configuration, and the shapes of its weights."""

    def __init__(self, module: "FirstModule") -> None:
        self._module = module
        self.config = Config(module._folder / "config.json")

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """Yields the names and shapes of the weights in the model's files."""
        return self._module.named_parameters()

    def parameters(self) -> Iterator[Parameter]:
        """Yields the shapes of the weights in the model's files."""
        return self._module.parameters()

    def num_parameters(self) -> int:
        """Returns how many numbers the weights have."""
        return sum(parameter.numel() for parameter in self.parameters())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnsupportedError(f"auto_model.{name} is not supported; config, parameters() and dtype of it are")


class FirstModule(Module):
    """The first module: the encoder with its tokenizer."""

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the model."""
        tokenizer: Tokenizer = self._model.tokenizer
        return tokenizer

    processor = tokenizer

    @property
    def max_seq_length(self) -> int:
        """The max_seq_length of the model."""
        length: int = self._model.max_seq_length
        return length

    @max_seq_length.setter
    def max_seq_length(self, value: int) -> None:
        self._model.max_seq_length = value

    @property
    def auto_model(self) -> Encoder:
        """The part of the transformers model that is available here."""
        return Encoder(self)

    def preprocess(self, inputs: Sequence[Any], prompt: str | None = None, **options: Any) -> Encoding:
        """Calls `preprocess` of the model."""
        encoding: Encoding = self._model.preprocess(inputs, prompt, **options)
        return encoding

    def tokenize(self, texts: Sequence[Any], **options: Any) -> Encoding:
        """Calls `tokenize` of the model."""
        return self.preprocess(texts, **options)


class WithModules(OnCpu):
    """The part of a model that lists its modules."""

    model: Model
    max_seq_length: int
    tokenizer: Any
    preprocess: Any

    @property
    def _modules(self) -> dict[str, Module]:
        """Returns the modules by their names in modules.json."""
        folder = Path(self.model.describe()["source"])
        file = folder / "modules.json"
        rows: list[tuple[str, str, str, dict[str, Any] | None]]
        if file.is_file():
            listed = json.loads(file.read_text(encoding="utf-8"))
            rows = [(one["name"], one["type"], one["path"], None) for one in listed]
        else:
            rows = [(str(i), kind, path, about) for i, (path, kind, about) in enumerate(self._modules_without_file())]
        rows = rows or [("0", "Transformer", "", {})]
        found: dict[str, Module] = {}
        for name, kind, path, settings in rows:
            made = Module if found else FirstModule
            if not found and settings is None:
                settings = Config(folder / path / "sentence_bert_config.json").to_dict()
            found[name] = made(self, kind.rpartition(".")[2], folder / path, settings)
        return found

    def _modules_without_file(self) -> "list[SavedModule]":
        """Returns the modules that are loaded from a directory without modules.json."""
        return []

    def __len__(self) -> int:
        """Returns the number of modules: the encoder and the modules that the model's files add after it."""
        return len(self._modules)

    def __getitem__(self, index: int) -> Any:
        modules = list(self._modules.values())
        if not -len(modules) <= index < len(modules):
            raise IndexError(f"module {index} of {len(modules)}")
        return modules[index]

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yields the modules with their names."""
        return iter(self._modules.items())

    def children(self) -> Iterator[Module]:
        """Yields the modules."""
        return iter(self)

    def _first_module(self) -> Any:
        return self[0]

    def _last_module(self) -> Any:
        return self[-1]

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """Yields the names and shapes of the weights in all modules' files. A name begins with that of the module."""
        children = self.named_children()
        found = [(f"{name}.{key}", one) for name, module in children for key, one in module.named_parameters()]
        if not found:
            raise UnsupportedError("parameters() is not supported: the model has no safetensors files")
        return iter(found)

    def parameters(self) -> Iterator[Parameter]:
        """Yields the shapes of the weights in all modules' files."""
        return (parameter for _, parameter in self.named_parameters())

    def get_model_kwargs(self) -> list[str]:
        """Returns the names of encode's further arguments: task, if the model has several routes or adapters."""
        file = Path(self.model.describe()["source"]) / "modules.json"
        listed = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
        named = {key for one in listed for key in one.get("kwargs") or ()}
        has_routes = any(one["type"].rpartition(".")[2] in ("Router", "Asym") for one in listed)
        return sorted(named | ({"task"} if has_routes else set()))

    def modules(self) -> Iterator[Any]:
        """Yields the model, then its modules."""
        yield self
        yield from self
