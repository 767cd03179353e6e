"""Finds a model: a directory, the built-in model, a model in the hub's local cache, or a download into that cache."""

import os
from dataclasses import dataclass, field, replace
from typing import Any

from . import _engine
from .errors import InvalidArgumentError, IoError, NotFoundError, notify

# The files that the engine reads from a model's repository. Other files, such as other frameworks' weights, are left
# out.
FILES = ("*.json", "*.safetensors", "*.txt", "*.model", "*.jinja", "*.metadata")


@dataclass(frozen=True)
class Source:
    """Which model is loaded and how: the arguments of bert_infer.Model."""

    name: str | None
    threads: int = 0
    precision: str = "stored"
    revision: str = "main"
    task: str | None = None
    cache_folder: str | None = None
    local_files_only: bool = False
    token: Any = field(default=None, repr=False)
    packed_bytes: int = 0
    packing: str = "automatic"
    without_positions: bool = False  # for the experiment that computes without position vectors
    encoder: str | None = None
    static_file: str = "config"
    max_words: int | None = None
    max_width: int | None = None
    adapter: str | None = None
    # The changes of Model.intervene. Each is the arguments of _engine.intervene: heads, ablation, patches.
    interventions: tuple[tuple[Any, str, Any], ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out the token. It is a secret, and is not needed because a downloaded model is in the cache."""
        return {**self.__dict__, "token": None}


def load(source: Source) -> _engine.Model:
    """Loads a model as bert_infer.Model describes.

    If a name without a slash is not found, the model is also looked up under sentence-transformers/, as that library
    does.
    """
    name = source.name
    if name is None:
        return _load(source)
    if not name:
        raise InvalidArgumentError("the model's name is empty, expected a directory or a model's name on the hub")
    names = [name] if "/" in name or name in (".", "..") else [name, f"sentence-transformers/{name}"]
    missing = None
    for candidate in names:
        try:
            return _load(replace(source, name=candidate))
        except NotFoundError as error:
            if os.path.exists(candidate):
                raise
            missing = missing or error
    assert missing is not None
    tried = _all_that_was_tried(missing, names)
    directory = _download(replace(source, name=names[-1]), tried)
    if directory is None:
        raise NotFoundError(tried)
    return _load(replace(source, name=directory))


def _all_that_was_tried(error: NotFoundError, names: list[str]) -> str:
    """Returns the engine's message about the first name, with the second name, and with what to install for
    downloads."""
    second = f"; looked for {names[1]!r} too" if len(names) > 1 else ""
    is_remedied = not _is_name(names[-1]) or _downloader()
    remedy = "" if is_remedied else "; `pip install huggingface_hub` makes missing models be downloaded"
    return f"{error}{second}{remedy}"


def _is_name(name: str) -> bool:
    """Returns whether the name may be a model's name on the hub, such as "BAAI/bge-small-en-v1.5"."""
    return name.count("/") == 1 and not name.startswith(("/", ".", "~"))


def _load(source: Source) -> _engine.Model:
    settings = _engine.LoadSettings()
    settings.set_precision(source.precision)
    settings.set_static_file(source.static_file)
    settings.threads = source.threads
    settings.revision = source.revision
    settings.task = source.task
    settings.cache = source.cache_folder or ""
    settings.packed_bytes = source.packed_bytes
    settings.set_packing(source.packing)
    settings.without_positions = source.without_positions
    settings.encoder = source.encoder or ""
    settings.adapter = source.adapter or ""
    settings.max_words = source.max_words
    settings.max_width = source.max_width
    model = _engine.Model.load(source.name, settings)
    for heads, ablation, patches in source.interventions:
        model = _engine.intervene(model, heads, ablation, patches)
    return model


def _download(source: Source, tried: str) -> str | None:
    """Returns the directory of the downloaded model; None if downloads are not allowed or huggingface_hub is
    missing."""
    name = source.name or ""
    offline = source.local_files_only or os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")
    if offline or not _is_name(name):
        return None
    download = _downloader()
    if download is None:
        return None
    notify(f"downloading the model {name!r}, revision {source.revision!r}, from the hub")
    patterns = list(FILES) + ["*/" + kind for kind in FILES]
    where: dict[str, Any] = {}
    if source.cache_folder is not None:
        where["cache_dir"] = source.cache_folder
    if source.token is not None:
        where["token"] = source.token
    try:
        return str(download(name, revision=source.revision, allow_patterns=patterns, **where))
    except Exception as error:  # such as no network, no such model or a full disk
        kind = IoError if isinstance(error, OSError) and error.errno else NotFoundError
        said = " ".join(str(error).split())
        raise kind(f"{tried}; its download failed: {type(error).__name__}: {said[:300]}") from error


def _downloader() -> Any:
    """Returns the download function of huggingface_hub; None if the package is not installed."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        return None
    return snapshot_download
