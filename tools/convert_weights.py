#!/usr/bin/env python3
"""Converts checkpoints to model.safetensors: torch files, TensorFlow 1 checkpoints, safetensors in other forms, ONNX.

This file is the command; its modules are in tools/convert/. It needs Python 3.10 and numpy. It never runs or imports
anything that an input file names, and opens no path from it, except the names of shards, which are confined to the
index's directory.
"""

import argparse
import json
import os
import signal
import sys
import time
import traceback
from typing import Any

if sys.version_info < (3, 10):
    sys.exit("convert_weights.py: error: Python 3.10 or newer is needed")
try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit("convert_weights.py: error: numpy is missing (on Debian: apt-get install python3-numpy)")

from convert.checkpoint import Checkpoint, find_checkpoint, open_checkpoint
from convert.errors import ConvertError, quoted
from convert.golden import GOLDEN, NoGoldenVectors, write_golden
from convert.heads import Head, head_outputs, open_heads, write_head
from convert.names import Plan, plan_tensorflow, plan_torch
from convert.output_directory import OutputDirectory
from convert.side_files import (
    casing_note,
    google_config,
    has_gliner_config,
    has_google_config,
    left_out,
    read_config,
    side_files,
)
from convert.tensor import PIECE_BYTES
from convert.weights_writer import Written, check_values, verify, write_weights

WEIGHTS = "model.safetensors"

EXAMPLES = """\
examples:
  convert_weights.py bert-base-uncased                      pytorch_model.bin -> model.safetensors next to it
  convert_weights.py bert-base-uncased --output bert-bf16 --dtype bf16
                                                            a second model directory in half the space
  convert_weights.py uncased_L-12_H-768_A-12 --output bert  a checkpoint of Google
  convert_weights.py runs/bert_model.ckpt.index             one checkpoint of several in a directory
  convert_weights.py bert-base-uncased --force              write model.safetensors again

output: model.safetensors; verify.json, golden vectors of a few texts by this script's own float64 forward pass, for
`bert-infer verify --model DIR` (only for BERT; for other models the report says why not); a folder for each head of
BGE-M3, colbert_linear.pt and sparse_linear.pt; and, with --output, config.json and the tokenizer's files

input: a directory with one checkpoint, or the checkpoint itself
  pytorch_model.bin                  zip archive or legacy file of torch.save
  pytorch_model.bin.index.json       the same in shards
  *.ckpt.index                       TensorFlow 1 (V2 format), with its .data files and bert_config.json next to it
  model.safetensors, model.safetensors.index.json
  model.onnx, onnx/model.onnx        an export of an encoder in float32 or float16, or in 8 bits with scales

exit codes: 0 done, 1 failed on the data or a file, 2 wrong usage
"""


class Progress:
    """A progress line on the terminal; silent if standard error is not a terminal."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled and sys.stderr.isatty()
        self._what, self._done, self._total, self._shown_at = "", 0, 0, 0.0

    def start(self, what: str, total_bytes: int) -> None:
        """Begin a new step."""
        self._what, self._done, self._total = what, 0, total_bytes

    def add(self, count: int) -> None:
        """Add count bytes to the progress."""
        self._done += count
        now = time.monotonic()
        if self._enabled and now - self._shown_at >= 0.1:
            self._shown_at = now
            percent = 100 * self._done // max(self._total, 1)
            sys.stderr.write(f"\r{self._what}: {min(percent, 100)} % of {self._total / 1e6:.0f} MB\033[K")
            sys.stderr.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self._enabled and self._shown_at:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def main(arguments: list[str]) -> int:
    """Run the command; returns its exit code."""
    # A stream that was closed before the start is None.
    sys.stdout = sys.stdout or open(os.devnull, "w")
    sys.stderr = sys.stderr or open(os.devnull, "w")
    options = parse(arguments)
    progress = Progress(not options.quiet)
    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, _stop)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    try:
        run(options, progress)
        sys.stdout.flush()
        return 0
    except BrokenPipeError:
        # The reader of the report has closed it; the files are complete. The interpreter must not flush anything.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UsageError as error:
        code, message = 2, str(error)
    except ConvertError as error:
        code, message = 1, str(error)
    except OSError as error:
        where = f" {quoted(error.filename)}" if error.filename else ""
        code, message = 1, f"cannot read or write{where}: {error.strerror or error}"
    except MemoryError:
        code, message = 1, "out of memory"
    except KeyboardInterrupt:
        code, message = 1, "stopped"
    except Exception as error:  # A bug; one line, with the place for a report.
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"
        code, message = 1, f"internal fault at {where}: {type(error).__name__}: {quoted(error)}"
    progress.clear()
    print(f"convert_weights.py: error: {message}", file=sys.stderr)
    return code


class UsageError(Exception):
    """Options that contradict each other or the input."""


def _stop(signum: int, frame: object) -> None:
    raise KeyboardInterrupt


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line; exits with 2 on wrong usage."""
    parser = argparse.ArgumentParser(
        prog="convert_weights.py",
        description="Convert a BERT checkpoint to model.safetensors, with its configuration and tokenizer files.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("input", metavar="INPUT", help="a model directory or a checkpoint file")
    parser.add_argument("--output", metavar="DIR", help="directory to write to (default: that of the input)")
    parser.add_argument(
        "--dtype",
        choices=("keep", "f32", "f16", "bf16"),
        default="keep",
        help="number type of the result (default: keep; F64 becomes F32)",
    )
    parser.add_argument(
        "--gelu",
        choices=("erf", "tanh"),
        help='what "gelu" in Google\'s bert_config.json becomes (default: erf, as in transformers)',
    )
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    parser.add_argument(
        "--allow-nonfinite",
        action="store_true",
        help="convert NaN and infinite values, and values too large for the type",
    )
    parser.add_argument(
        "--no-verify",
        action="store_true",
        help=f"do not write {GOLDEN}, the golden vectors that `bert-infer verify` compares with",
    )
    parser.add_argument("--quiet", action="store_true", help="print warnings and errors only")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace, progress: Progress) -> None:
    """Convert; raises ConvertError or OSError, and then has changed nothing."""
    path = find_checkpoint(options.input)
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
        # Golden vectors of other weights must never be next to these.
        output.commit(remove_first=GOLDEN)
    progress.clear()
    report(checkpoint, plan, written, of_heads, copied, golden, os.path.join(target, WEIGHTS), options)
    for note in notes:
        print(f"convert_weights.py: note: {note}", file=sys.stderr)


def model_directory(path: str) -> str:
    """Where the files beside the checkpoint are: for the folder onnx of a model's directory that one."""
    directory = os.path.dirname(path) or "."
    above = os.path.dirname(os.path.abspath(directory))
    in_folder = os.path.basename(os.path.abspath(directory)) == "onnx" and path.endswith(".onnx")
    has_config = os.path.lexists(os.path.join(directory, "config.json"))
    return above if in_folder and not has_config else directory


def plan_of(checkpoint: Checkpoint, directory: str) -> Plan:
    """Plan the result for each tensor."""
    if checkpoint.is_tensorflow:
        return plan_tensorflow(checkpoint.tensors)
    config = read_config(directory) or {}
    return plan_torch(checkpoint.tensors, tied=config.get("tie_word_embeddings", True) is not False)


def refuse_existing(target: str, names: list[str], force: bool) -> None:
    """Raise if one of the files exists in the target directory and may not be replaced."""
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
    """Write the golden vectors of the written weights; returns the report's line about them."""
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
    """Write config.json from bert_config.json; returns its content, and notes for the user."""
    refuse_existing(output.path, ["config.json"], options.force)
    data, notes = google_config(directory, options.gelu, plan)
    with output.create("config.json") as file:
        output.write(file, data)
        output.finish(file)
    casing = casing_note(directory)
    return json.loads(data), notes + ([casing] if casing else [])


def copy_side_files(output: OutputDirectory, directory: str, has_config: bool, force: bool) -> list[str]:
    """Copy the files next to the weights; an existing file with other content is an error without force."""
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
    """Whether a regular file at path holds the same bytes as the open source."""
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
    """Print what was mapped and skipped, unless quiet; values that are not finite are always reported."""
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
