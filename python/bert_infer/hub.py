"""Where a model is: a directory, the built-in one, the hub's local cache, or a download into that cache."""

import os

from . import _engine
from .errors import InvalidArgumentError, NotFoundError, notify

# What the engine reads of a model's repository, in place of every framework's copy of the weights.
FILES = ("*.json", "*.safetensors", "*.txt", "*.model")


def load(name: str | None, threads: int, precision: str, revision: str, task: str | None) -> _engine.Model:
    """Loads a model as bert_infer.Model describes.

    A name without a slash that is not found is also looked up among the models of sentence-transformers, as that
    library does.
    """
    if name is None:
        return _engine.Model.load(None, threads, precision, revision, task)
    if not name:
        raise InvalidArgumentError("the model's name is empty, expected a directory or a model's name on the hub")
    names = [name] if "/" in name or name in (".", "..") else [name, f"sentence-transformers/{name}"]
    missing = None
    for candidate in names:
        try:
            return _engine.Model.load(candidate, threads, precision, revision, task)
        except NotFoundError as error:
            if os.path.exists(candidate):
                raise
            missing = missing or error
    assert missing is not None
    directory = _download(names[-1], revision)
    if directory is None:
        raise missing
    return _engine.Model.load(directory, threads, precision, revision, task)


def _download(name: str, revision: str) -> str | None:
    """The directory of the downloaded model; None if nothing may be downloaded or huggingface_hub is not installed."""
    offline = os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")
    if offline or name.count("/") != 1 or name.startswith(("/", ".", "~")):
        return None
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        return None
    notify(f"downloading the model {name!r}, revision {revision!r}, from the hub")
    return str(snapshot_download(name, revision=revision, allow_patterns=list(FILES) + ["*/" + kind for kind in FILES]))
