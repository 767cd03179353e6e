#!/usr/bin/env python3
"""Converts checkpoints to model.safetensors: torch files, TensorFlow 1 checkpoints, safetensors in other forms, ONNX.

This file is the command; its modules are in tools/convert/. It needs Python 3.10 and numpy. It never runs or imports
anything that an input file names, and opens no path from it, except the names of shards, which are confined to the
index's directory.
"""

import argparse
import os
import signal
import sys
import traceback

if sys.version_info < (3, 10):
    sys.exit("convert_weights.py: error: Python 3.10 or newer is needed")
from convert.errors import ConvertError, UsageError, quoted
from convert.progress import Progress

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


def main(arguments: list[str]) -> int:
    """Run the command. Returns its exit code."""
    # A stream that was closed before the start is None.
    sys.stdout = sys.stdout or open(os.devnull, "w")
    sys.stderr = sys.stderr or open(os.devnull, "w")
    options = parse(arguments)
    try:
        from convert.conversion import run
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        sys.exit("convert_weights.py: error: numpy is missing (on Debian: apt-get install python3-numpy)")
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
        # The report's reader has closed the pipe, but the files are complete. The interpreter must not flush anything.
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
    except Exception as error:  # This is a bug. The line has the place, for a report.
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"
        code, message = 1, f"internal fault at {where}: {type(error).__name__}: {quoted(error)}"
    progress.clear()
    print(f"convert_weights.py: error: {message}", file=sys.stderr)
    return code


def _stop(signum: int, frame: object) -> None:
    raise KeyboardInterrupt


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line. Exits with 2 for wrong usage."""
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
        help="do not write verify.json, the golden vectors that `bert-infer verify` compares with",
    )
    parser.add_argument("--quiet", action="store_true", help="print warnings and errors only")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
