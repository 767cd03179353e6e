"""Makes MTEB's calls of a model through MTEB's own wrappers, whose rules choose the prompt and the method."""

import os
from importlib import import_module
from typing import Any


def model_meta(model: Any) -> Any:
    """Returns MTEB's description of a model: its name and its revision."""
    meta = import_module("mteb.models").ModelMeta
    parts = os.fspath(model._name).rstrip("/").split("/")
    name = "/".join(parts[-2:]) if len(parts) > 1 else f"sentence-transformers/{parts[0]}"
    return meta.create_empty(overwrites={"name": name, "revision": model._loading["revision"]})


def wrapped(model: Any, kind: str) -> Any:
    """Returns MTEB's wrapper of this name around a model of the drop-in, a class that the wrapper's constructor does
    not know."""
    module = import_module("mteb.models.sentence_transformer_wrapper")
    wrapper = object.__new__(getattr(module, kind))
    wrapper.model = model
    wrapper.mteb_model_meta = model.mteb_model_meta
    wrapper.model_prompts = module._resolve_model_prompts(model, None)
    wrapper.query_prefix = wrapper.passage_prefix = ""
    for setting in ("fps", "max_frames", "num_frames", "target_sampling_rate", "max_samples"):  # for films and sounds
        setattr(wrapper, setting, None)
    wrapper.min_frames = 1
    return wrapper
