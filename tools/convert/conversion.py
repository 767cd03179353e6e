"""Runs one conversion, from the options of the command line to complete files."""

import argparse
import json
import os
import sys
from typing import Any

from .checkpoint import Checkpoint, find_checkpoint, open_checkpoint
from .errors import ConvertError, UsageError, quoted
from .golden import GOLDEN, NoGoldenVectors, write_golden
from .heads import Head, head_outputs, open_heads, write_head
from .names import Plan, plan_tensorflow, plan_torch
from .output_directory import OutputDirectory
from .progress import Progress
from .side_files import (
    casing_note,
    google_config,
    has_gliner_config,
    has_google_config,
    left_out,
    read_config,
    side_files,
)
from .tensor import PIECE_BYTES
from .weights_writer import Written, check_values, verify, write_weights

WEIGHTS = "model.safetensors"


def run(options: argparse.Namespace, progress: Progress) -> None:
    """Convert a checkpoint. Raises ConvertError or OSError, and then has changed nothing."""
    replaced = WEIGHTS if options.force and not options.output else None
    path = find_checkpoint(options.input, replaced)
    directory = model_directory(path)
    target = options.output or directory
    refuse_existing(target, [WEIGHTS, GOLDEN], options.force)
    progress.start("checking", os.path.getsize(path))
    checkpoint = open_checkpoint(path, progress.add)
    progress.clear()
    if options.gelu and not (checkpoint.is_tensorflow and has_google_config(directory)):
        raise UsageError(
            "--gelu is for TensorFlow checkpoints with bert_config.json; here config.json says which gelu it is"
        )
    plan = plan_of(checkpoint, directory)
    notes = checkpoint.notes + plan.notes
    heads = open_heads(directory, progress.add)
    for head in heads:
        refuse_existing(target, head_outputs(head), options.force)
    with OutputDirectory(target) as output:
        in_place = os.path.samefile(directory, target)
        from_google = checkpoint.is_tensorflow and has_google_config(directory)
        config = read_config(directory)
        if from_google:
            config, google_notes = write_google_config(output, directory, plan, options)
            notes += google_notes
        elif config is None and not has_gliner_config(directory):
            notes.append(f"no config.json in {quoted(directory)}: the model cannot be loaded without one")
        copied = [] if in_place else copy_side_files(output, directory, from_google, options.force)
        if not in_place:
            sources = [file.path for file in [*checkpoint.files, *(head.file for head in heads)]]
            others = left_out(directory, [*copied, "bert_config.json", WEIGHTS], sources)
            notes += [f"not copied: {', '.join(others)}"] if others else []
        with output.create(WEIGHTS) as file:
            progress.start("writing", sum(item.tensor.size_bytes for item in plan.mapped))
            written = write_weights(output, file, plan.mapped, options.dtype, progress.add)
            output.finish(file)
        progress.start("verifying", sum(item.entry.size_bytes for item in written))
        verify(output.partial_path(WEIGHTS), written, progress.add)
        of_heads = [(head, write_head(output, head, options.dtype, progress.add)) for head in heads]
        if not options.allow_nonfinite:
            for tensors in [written, *(items for _, items in of_heads)]:
                check_values(tensors)
        golden = golden_vectors(output, config, directory, options, progress)
        for file in [*checkpoint.files, *(head.file for head in heads)]:
            file.check_unchanged()
        # The golden vectors of the old weights must never be beside the new weights.
        output.commit(remove_first=GOLDEN)
    progress.clear()
    report(checkpoint, plan, written, of_heads, copied, golden, os.path.join(target, WEIGHTS), options)
    for note in notes:
        print(f"convert_weights.py: note: {note}", file=sys.stderr)


def model_directory(path: str) -> str:
    """Return the directory of the files beside the checkpoint: for a model's folder onnx, that of the model."""
    directory = os.path.dirname(path) or "."
    above = os.path.dirname(os.path.abspath(directory))
    in_folder = os.path.basename(os.path.abspath(directory)) == "onnx" and path.endswith(".onnx")
    has_config = os.path.lexists(os.path.join(directory, "config.json"))
    return above if in_folder and not has_config else directory


def plan_of(checkpoint: Checkpoint, directory: str) -> Plan:
    """Plan what becomes of each tensor."""
    if checkpoint.is_tensorflow:
        return plan_tensorflow(checkpoint.tensors)
    config = read_config(directory) or {}
    return plan_torch(checkpoint.tensors, tied=config.get("tie_word_embeddings", True) is not False)


def refuse_existing(target: str, names: list[str], force: bool) -> None:
    """Raise ConvertError if one of the files exists in the target directory and may not be replaced."""
    for name in names:
        if not force and os.path.lexists(os.path.join(target, name)):
            raise ConvertError(
                f"{quoted(os.path.join(target, name))} exists; --force replaces it, --output DIR writes elsewhere"
            )


def golden_vectors(
    output: OutputDirectory,
    config: dict[str, Any] | None,
    directory: str,
    options: argparse.Namespace,
    progress: Progress,
) -> str:
    """Write the golden vectors of the written weights. Returns the report's line about them."""
    if options.no_verify:
        return f"no {GOLDEN}: --no-verify"
    path = output.partial_path(WEIGHTS)
    progress.start("golden vectors", os.path.getsize(path))
    try:
        what = write_golden(output, path, config, directory, progress.add)
    except NoGoldenVectors as error:
        return f"no {GOLDEN}, the golden vectors of `bert-infer verify`: {error}"
    return f"wrote {os.path.join(output.path, GOLDEN)}: golden vectors of {what}; `bert-infer verify` runs them"


def write_google_config(
    output: OutputDirectory, directory: str, plan: Plan, options: argparse.Namespace
) -> tuple[dict[str, Any], list[str]]:
    """Write config.json from bert_config.json. Returns its content, and notes for the user."""
    refuse_existing(output.path, ["config.json"], options.force)
    data, notes = google_config(directory, options.gelu, plan)
    with output.create("config.json") as file:
        output.write(file, data)
        output.finish(file)
    casing = casing_note(directory)
    return json.loads(data), notes + ([casing] if casing else [])


def copy_side_files(output: OutputDirectory, directory: str, has_config: bool, force: bool) -> list[str]:
    """Copy the files next to the weights. Raises ConvertError for an existing file with other content, without
    force."""
    copied = []
    for name, source in side_files(directory):
        if name == "config.json" and has_config:
            source.close()
            continue
        if not same_content(source, os.path.join(output.path, name)):
            refuse_existing(output.path, [name], force)
            with output.create(name) as file:
                for start in range(0, source.size, PIECE_BYTES):
                    output.write(file, source.read(start, min(PIECE_BYTES, source.size - start)))
                output.finish(file)
        source.check_unchanged()
        source.close()
        copied.append(name)
    return copied


def same_content(source, path: str) -> bool:
    """Tell whether path is a regular file with the same bytes as the open source."""
    if not os.path.isfile(path) or os.path.getsize(path) != source.size:
        return False
    with open(path, "rb") as file:
        return all(
            file.read(PIECE_BYTES) == source.read(start, min(PIECE_BYTES, source.size - start))
            for start in range(0, source.size, PIECE_BYTES)
        )


def report(
    checkpoint: Checkpoint,
    plan: Plan,
    written: list[Written],
    of_heads: list[tuple[Head, list[Written]]],
    copied: list[str],
    golden: str,
    path: str,
    options: argparse.Namespace,
) -> None:
    """Print what was mapped and skipped, unless quiet. Values that are not finite are always reported."""
    for item in written + [item for _, items in of_heads for item in items]:
        for count, words in (
            (item.nonfinite, "NaN or infinite"),
            (item.overflowed, f"too large for {item.entry.dtype}"),
        ):
            if count:
                print(
                    f"convert_weights.py: note: {item.source.tensor.where()}: {count} values {words}", file=sys.stderr
                )
    if options.quiet:
        return
    print(f"read {len(checkpoint.tensors)} tensors ({checkpoint.kind})")
    for item in written:
        source = item.source.tensor
        origin = "" if source.name == item.entry.name else f"{source.name} -> "
        remarks = [item.source.remark] if item.source.remark else []
        if source.dtype != item.entry.dtype:
            remarks.append(f"from {source.dtype}")
        remark = f" ({', '.join(remarks)})" if remarks else ""
        print(f"mapped {origin}{item.entry.name} {item.entry.dtype} {list(item.entry.shape)}{remark}")
    for name, reason in plan.skipped:
        print(f"skipped {quoted(name)}: {reason}")
    for head, items in of_heads:
        shape = list(items[0].entry.shape)
        print(f"mapped {quoted(os.path.basename(head.file.path))} -> {head.name}/ {items[0].entry.dtype} {shape}")
    for name in copied:
        print(f"copied {name}")
    print(golden)
    size_bytes = sum(item.entry.size_bytes for item in written)
    print(f"wrote {path}: {len(written)} tensors, {size_bytes} bytes, {len(plan.skipped)} skipped; read back and equal")
