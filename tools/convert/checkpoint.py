"""Detects the kind of a checkpoint by its content, and opens it. A sharded checkpoint is opened through its index.

A shard's name comes from a file, so it must be a plain base name. The shard must be in the index's directory, or for
links of the Hugging Face cache in the same models--* folder.
"""

import dataclasses
import os
import re
from collections.abc import Callable

from .errors import ConvertError, quoted
from .onnx_weights import read_onnx
from .safetensors_file import read_safetensors
from .source_file import SourceFile, confined
from .strict_json import INDEX_LIMIT_BYTES, read_object
from .tensor import Tensor
from .tensorflow_bundle import is_table, read_bundle
from .torch_checkpoint import LEGACY_MAGIC, read_torch_legacy, read_torch_zip

MAX_SHARDS = 1_000
_SHARD_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
_INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_SINGLE_FILES = ("model.safetensors", "pytorch_model.bin")

_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst", ".zip", ".7z", ".gz", ".zst")

_REFUSED_BEGINNINGS = (
    (b"\x89HDF", "is an HDF5 file (Keras), which is not read"),
    (b"GGUF", "is a GGUF file, which is not read"),
    (b"version https://git-lfs", "is a Git LFS pointer, not the file itself (fetch it with: git lfs pull)"),
    (b"\x1f\x8b", "is a gzip file; unpack it first"),
    (b"\x80", "is a bare pickle, not a file that torch.save wrote"),
)


@dataclasses.dataclass
class Checkpoint:
    """An open checkpoint. Its tensors are descriptions, which read the numbers from files. Messages show `kind`."""

    kind: str
    tensors: list[Tensor]
    files: list[SourceFile]
    notes: list[str]

    @property
    def is_tensorflow(self) -> bool:
        """Tell whether the tensors have TensorFlow's names and layout."""
        return self.kind == "TensorFlow"


def find_checkpoint(path: str, replaced: str | None = None) -> str:
    """Return the file to open for path: the path itself, or the only checkpoint in the directory path.

    The conversion will write the file `replaced` anew, so that file does not count beside another checkpoint.
    """
    if not os.path.isdir(path):
        if os.path.lexists(path):
            return re.sub(r"\.data-\d{5}-of-\d{5}$", ".index", path)
        if os.path.exists(path + ".index"):
            return path + ".index"
        raise ConvertError(f"{quoted(path)} does not exist")
    try:
        names = os.listdir(path)
    except OSError as error:
        raise ConvertError(f"cannot read {quoted(path)}: {error.strerror}") from None
    candidates = [name for name in _SINGLE_FILES + _INDEXES if name in names and name != replaced]
    indexes = (name for name in names if name.endswith(".index") and not name.startswith("."))
    candidates += sorted(name for name in indexes if ".ckpt" in name)
    candidates = candidates or _onnx_files(path, names) or [name for name in names if name == replaced]
    if not candidates:
        archives = sorted(name for name in names if name.endswith(_ARCHIVES))
        raise ConvertError(
            f"no checkpoint in {quoted(path)}, expected one of {', '.join(_SINGLE_FILES + _INDEXES)}, "
            "a *.ckpt*.index of TensorFlow or a *.onnx"
            + (f"; it holds an archive, {quoted(archives[0])}: unpack it first" if archives else "")
        )
    if len(candidates) > 1:
        again = "; --force writes model.safetensors again" if "model.safetensors" in candidates else ""
        raise ConvertError(
            f"several checkpoints in {quoted(path)}: {', '.join(map(quoted, candidates))}; name the one to convert"
            + again
        )
    return os.path.join(path, candidates[0])


def _onnx_files(path: str, names: list[str]) -> list[str]:
    """Return the ONNX files of the directory, or if it has none those of its folder onnx, which the hub uses."""
    folder = os.path.join(path, "onnx")
    inside = os.listdir(folder) if os.path.isdir(folder) else []
    found = sorted(name for name in names if name.endswith(".onnx"))
    return found or sorted(os.path.join("onnx", name) for name in inside if name.endswith(".onnx"))


def open_checkpoint(path: str, on_bytes: Callable[[int], None]) -> Checkpoint:
    """Open the checkpoint file of find_checkpoint; on_bytes is called with the number of bytes whose checksum was
    verified."""
    if path.endswith(".index.json"):
        return _open_sharded(path, on_bytes)
    file = SourceFile(path)
    beginning = file.read(0, min(file.size, 512))
    if is_table(file):
        file.close()
        if not path.endswith(".index"):
            raise ConvertError(
                f"{quoted(path)} is a TensorFlow table that is not named *.index (a V1 checkpoint?); only V2 "
                "checkpoints are read"
            )
        tensors, files = read_bundle(path)
        return Checkpoint("TensorFlow", tensors, files, [])
    if path.endswith(".index"):
        raise ConvertError(f"{quoted(path)} does not end as the index of a TensorFlow checkpoint does")
    kind, tensors, notes = _read_single(file, beginning, on_bytes)
    return Checkpoint(kind, tensors, [file], notes)


def _read_single(
    file: SourceFile, beginning: bytes, on_bytes: Callable[[int], None]
) -> tuple[str, list[Tensor], list[str]]:
    if file.path.endswith(".onnx"):
        return ("ONNX graph", *read_onnx(file))
    if beginning[:4] == b"PK\3\4":
        return ("torch zip archive", *read_torch_zip(file, on_bytes))
    if beginning.startswith(LEGACY_MAGIC):
        return ("legacy torch file", *read_torch_legacy(file))
    if beginning[257:262] == b"ustar":
        raise ConvertError(f"{quoted(file.path)} is a tar archive (torch 0.1), which is not supported")
    looks_like_safetensors = beginning[4:8] == bytes(4) and beginning[8:9] in (b"{", b" ", b"\n", b"\t", b"\r")
    for start, words in _REFUSED_BEGINNINGS:
        if beginning.startswith(start) and not looks_like_safetensors:
            raise ConvertError(f"{quoted(file.path)} {words}")
    if not looks_like_safetensors and not file.path.endswith(".safetensors"):
        raise ConvertError(
            f"{quoted(file.path)} is no checkpoint that is known (it begins with bytes {beginning[:8].hex(' ')})"
        )
    return "safetensors", read_safetensors(file), []


def _open_sharded(path: str, on_bytes: Callable[[int], None]) -> Checkpoint:
    index_file = SourceFile(path)
    try:
        index = read_object(index_file, INDEX_LIMIT_BYTES)
    finally:
        index_file.close()
    weight_map = index.get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise ConvertError(f"{quoted(path)}: 'weight_map' is not a map from tensor to file")
    extension = ".bin" if path.endswith(".bin.index.json") else ".safetensors"
    for shard in weight_map.values():
        if not isinstance(shard, str) or not _SHARD_NAME.fullmatch(shard) or not shard.endswith(extension):
            raise ConvertError(
                f"{quoted(path)}: shard {quoted(shard)} is not the plain name of a {extension} file beside it"
            )
    shards = sorted(set(weight_map.values()))
    if len(shards) > MAX_SHARDS:
        raise ConvertError(f"{quoted(path)} names {len(shards)} shards, at most {MAX_SHARDS} are read")
    result = Checkpoint("", [], [], [])
    tensors: dict[str, Tensor] = {}
    directory = os.path.dirname(path)
    paths = {shard: confined(directory, shard, f"{quoted(path)}: shard {quoted(shard)}") for shard in shards}
    for shard in shards:
        file = SourceFile(paths[shard], paths[shard])
        result.files.append(file)
        kind, shard_tensors, notes = _read_single(file, file.read(0, min(file.size, 512)), on_bytes)
        if (kind == "safetensors") != (extension == ".safetensors"):
            raise ConvertError(f"{quoted(file.path)} is a {kind}, expected what {extension} says")
        result.kind = f"{kind}, {len(shards)} shards"
        result.notes += notes
        for tensor in shard_tensors:
            if tensor.name in tensors:
                raise ConvertError(f"{tensor.where()} stands in {quoted(tensors[tensor.name].file.path)} too")
            tensors[tensor.name] = tensor
            if tensor.name not in weight_map:
                result.notes.append(f"{tensor.where()} is not in the index and is not read")
    for name, shard in weight_map.items():
        if name not in tensors or tensors[name].file.path != paths[shard]:
            raise ConvertError(f"{quoted(path)}: tensor {quoted(name)} is not in {quoted(shard)}")
    result.tensors = [tensors[name] for name in weight_map]
    _note_size(index.get("metadata"), result)
    return result


def _note_size(metadata: object, result: Checkpoint) -> None:
    """Report if the announced size differs; it often does, because tied weights were counted twice."""
    announced = metadata.get("total_size") if isinstance(metadata, dict) else None
    total = sum(tensor.size_bytes for tensor in result.tensors)
    if announced is not None and announced != total:
        result.notes.append(f"the index announces {quoted(announced)} bytes of tensors, the shards have {total}")
