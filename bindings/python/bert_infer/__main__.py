"""python -m bert_infer embed IN.parquet OUT.parquet --column text: vectors for a column of a Parquet or Arrow file."""

import argparse
import json
import sys
from pathlib import Path

from ._engine import __version__
from .errors import Error
from .model import Model
from .runs import Progress


def shard(text: str) -> tuple[int, int]:
    """Returns (1, 5) for "2/5"."""
    index, _, count = text.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise argparse.ArgumentTypeError(f"{text!r}, expected I/N with I from 1 to N")
    return int(index) - 1, int(count)


def parser() -> argparse.ArgumentParser:
    description = "Vectors for Parquet and Arrow files; needs pyarrow."
    top = argparse.ArgumentParser(prog="python -m bert_infer", description=description)
    top.add_argument("--version", action="version", version=f"bert_infer {__version__}")
    commands = top.add_subparsers(dest="command", required=True)
    embed = commands.add_parser("embed", help="add a column with the vectors of a column of texts")
    embed.add_argument("input", type=Path, help="Parquet, or Arrow's IPC if it ends in .arrow, .feather or .ipc")
    embed.add_argument("output", type=Path, help="likewise")
    embed.add_argument("--column", default="text", help="the texts (default: text)")
    embed.add_argument("--into", default="embedding", help="the vectors' column (default: embedding)")
    embed.add_argument("--model", help="a directory, or a model's name on the hub (default: the built-in model)")
    embed.add_argument("--precision", default="stored", choices=("stored", "float32", "bfloat16", "int8"),
                       help="of the linear layers")
    embed.add_argument("--revision", default="main", help="a branch, a tag or a commit of a model on the hub")
    embed.add_argument("--task", help="a model's route: query, document")
    embed.add_argument("--threads", type=int, default=0, help="default: the CPUs that the process may use")
    prompt = embed.add_mutually_exclusive_group()
    prompt.add_argument("--prompt-name", help="one of the model's prompts")
    prompt.add_argument("--prompt", help="a text to put before each text, in place of a prompt of the model")
    embed.add_argument("--normalize", action="store_true", help="the vectors get length 1")
    embed.add_argument("--truncate-dim", type=int, help="the first so many numbers of each vector")
    embed.add_argument("--shard", type=shard, default=(0, 1), metavar="I/N", help="this share of the row groups")
    embed.add_argument("--resume", action="store_true", help="go on with a run that was ended early")
    merge = commands.add_parser("merge", help="put the results of all shards together")
    merge.add_argument("output", type=Path)
    merge.add_argument("shards", type=Path, nargs="+")
    merge.add_argument("--into", default="embedding", help="the vectors' column (default: embedding)")
    return top


def main() -> int:
    options = parser().parse_args()
    try:
        from . import parquet
    except ImportError:
        print("bert_infer: error: the package pyarrow is not installed", file=sys.stderr)
        return 1
    try:
        if options.command == "merge":
            summary = parquet.merge(options.shards, options.output, options.into)
        else:
            summary = parquet.embed(
                Model(
                    options.model,
                    threads=options.threads,
                    precision=options.precision,
                    revision=options.revision,
                    task=options.task,
                ),
                options.input,
                options.output,
                column=options.column,
                into=options.into,
                shard=options.shard,
                resume=options.resume,
                progress=Progress(None) if sys.stderr.isatty() else None,
                prompt_name=options.prompt_name,
                prompt=options.prompt,
                normalize_embeddings=options.normalize,
                truncate_dim=options.truncate_dim,
            )
    except (Error, OSError) as error:
        print(f"bert_infer: error: {error}", file=sys.stderr)
        return 1
    print(json.dumps(summary))
    return 1 if summary["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
