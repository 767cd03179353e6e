"""Finds the files next to the weights of a model that are copied, and makes config.json of Google's bert_config.json.

models/files/model_files.txt has the names. Files are copied byte for byte.
"""

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from .errors import ConvertError, quoted
from .heads import HEADS, head_file
from .names import Plan
from .source_file import SourceFile, confined
from .strict_json import CONFIG_LIMIT_BYTES, read_object

MAX_FILE_BYTES = 256 * 1024 * 1024
# The list of the files that bert-infer reads in a model's directory and in the folder of a module.
LIST = os.path.join(os.path.dirname(__file__), "..", "..", "models", "files", "model_files.txt")
# The folders of modules in sentence-embedding models, for example 1_Pooling, or query_0_WordEmbeddings of a Router.
_MODULE_FOLDER = re.compile(r"([a-z]{1,32}_)?[0-9]{1,2}_[A-Za-z]{1,32}")
# The folders of a model with an encoder for labels, and of a model whose encoder's configuration is in a folder.
_LABEL_FOLDERS = ("labels_tokenizer", "encoder_config")

_GOOGLE_CONFIG = "bert_config.json"


def read_config(directory: str) -> dict[str, Any] | None:
    """Return config.json of directory, or None."""
    if not os.path.lexists(os.path.join(directory, "config.json")):
        return None
    file = _side_file(directory, "config.json")
    try:
        return read_object(file, CONFIG_LIMIT_BYTES)
    finally:
        file.close()


def model_files(directory: str) -> list[str]:
    """Return the names of the files that the model's directory may have besides its weights."""
    try:
        with open(LIST, encoding="ascii") as file:
            kinds = [line.split() for line in file if not line.startswith("#")]
    except OSError as error:
        raise ConvertError(f"cannot read {quoted(LIST)}, the list of a model's files: {error.strerror}") from None
    model_type = str((read_config(directory) or {}).get("model_type"))
    if not re.fullmatch("[A-Za-z0-9_-]{1,64}", model_type):
        model_type = "bert"
    names = [name.replace("*", model_type) for kind, name in kinds if kind != "refused"]
    return list(dict.fromkeys(names))  # a name with * may become one that the list has too


def side_files(directory: str) -> Iterator[tuple[str, SourceFile]]:
    """Yield (name relative to directory, open file) of every file to copy; the caller closes it."""
    names = model_files(directory)
    for name in names:
        yield from _opened(directory, name)
    # A head with a torch file is written anew instead of copied.
    heads = [name for name in HEADS if not os.path.lexists(head_file(directory, name))]
    for folder in sorted(os.listdir(directory)):
        is_module = folder in heads or _MODULE_FOLDER.fullmatch(folder) or folder in _LABEL_FOLDERS
        if is_module and os.path.isdir(os.path.join(directory, folder)):
            for name in (*names, "model.safetensors"):
                yield from _opened(directory, os.path.join(folder, name))


def left_out(directory: str, taken: list[str], checkpoint: list[str]) -> list[str]:
    """Return the files and folders of directory that are neither taken, nor the checkpoint's, nor hidden."""
    used = {os.path.relpath(path, directory) for path in checkpoint} | {name.split(os.sep)[0] for name in taken}
    names = [name for name in sorted(os.listdir(directory)) if not name.startswith(".") and name not in used]
    return [name + ("/" if os.path.isdir(os.path.join(directory, name)) else "") for name in names]


def _side_file(directory: str, name: str) -> SourceFile:
    path = os.path.join(directory, name)
    return SourceFile(path, confined(directory, name, quoted(path)))


def _opened(directory: str, name: str) -> Iterator[tuple[str, SourceFile]]:
    if not os.path.lexists(os.path.join(directory, name)):
        return
    file = _side_file(directory, name)
    if file.size > MAX_FILE_BYTES:
        raise ConvertError(f"{quoted(file.path)} has {file.size} bytes, at most {MAX_FILE_BYTES} are taken along")
    yield name, file


def google_config(directory: str, gelu: str | None, plan: Plan) -> tuple[bytes, list[str]]:
    """Return config.json for a checkpoint as Google released it, and messages for the user.

    `gelu` says what Google's "gelu" becomes: "erf" or None for the exact form, which transformers computes, or "tanh",
    which Google's own code computes.
    """
    path = os.path.join(directory, _GOOGLE_CONFIG)
    file = _side_file(directory, _GOOGLE_CONFIG)
    try:
        config = read_object(file, CONFIG_LIMIT_BYTES)
    finally:
        file.close()
    notes = []
    if config.get("hidden_act") == "gelu":
        name, form, other = {
            "erf": ("gelu", "the exact erf form, as transformers takes it", "tanh"),
            "tanh": ("gelu_new", "the tanh form, as Google's code computes it", "erf"),
        }[gelu or "erf"]
        config["hidden_act"] = name
        notes.append(
            f"'gelu' of {quoted(path)} becomes {form}; the two differ by up to 4.7e-4 (--gelu {other} for the other)"
        )
    elif gelu:
        notes.append(f"hidden_act of {quoted(path)} is {quoted(config.get('hidden_act'))}: --gelu changes nothing")
    shapes = {item.name: item.tensor.shape for item in plan.mapped}
    config["model_type"] = "bert"
    config["architectures"] = [_architecture(shapes)]
    labels = shapes.get("classifier.weight", (2,))[0]
    if labels != 2:
        config["id2label"] = {str(index): f"LABEL_{index}" for index in range(labels)}
        config["label2id"] = {f"LABEL_{index}": index for index in range(labels)}
    # These constants are in Google's code but not in its configuration.
    config.setdefault("layer_norm_eps", 1e-12)
    config.setdefault("pad_token_id", 0)
    return json.dumps(config, indent=2, sort_keys=True, ensure_ascii=False).encode("utf-8") + b"\n", notes


def _architecture(shapes: dict[str, tuple[int, ...]]) -> str:
    if "classifier.weight" in shapes:
        return "BertForSequenceClassification"
    if "qa_outputs.weight" in shapes:
        return "BertForQuestionAnswering"
    if "cls.predictions.bias" not in shapes:
        return "BertForNextSentencePrediction" if "cls.seq_relationship.weight" in shapes else "BertModel"
    return "BertForPreTraining" if "cls.seq_relationship.weight" in shapes else "BertForMaskedLM"


def has_gliner_config(directory: str) -> bool:
    """Tell whether directory has gliner_config.json, which such a model has instead of config.json."""
    return os.path.lexists(os.path.join(directory, "gliner_config.json"))


def has_google_config(directory: str) -> bool:
    """Tell whether directory has Google's bert_config.json."""
    return os.path.lexists(os.path.join(directory, _GOOGLE_CONFIG))


def casing_note(directory: str) -> str:
    """Return a warning if no file says whether text is lower-cased, else ""."""
    if any(os.path.lexists(os.path.join(directory, name)) for name in ("tokenizer_config.json", "tokenizer.json")):
        return ""
    return (
        "no tokenizer_config.json: programs will lower-case text; for a cased model write one that says "
        '{"do_lower_case": false}'
    )
