"""Reads, runs and compares the documentation's transcripts: blocks ```console with lines "$ COMMAND" and their outputs.
As a program, it writes the present outputs into the files that are its arguments.

In an expected output a line "⋮" stands for any lines, and "…" for any characters of a line. Standard error follows
standard output. BERT_TEST_WINDOWS: the program is one for Windows, with \\ in paths."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import look_alike_labels  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BERT_INFER_PROGRAM", REPOSITORY / "build" / "bert-infer"))

WINDOWS = "BERT_TEST_WINDOWS" in os.environ
# What a program for Windows lacks, and a command that looks for a path in what another prints.
NOT_WINDOWS = ("bert-infer serve", "bert-infer bundle", "grep -c 'packed weights *minilm/panels")

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def materials():
    """Return the names of files that commands may use, with their paths, or None for a missing file."""
    minilm = Path(os.environ.get("BERT_TEST_MINILM", REPOSITORY / "build" / "test-data" / "all-MiniLM-L6-v2"))
    data = Path(os.environ.get("BERT_TEST_DATA", REPOSITORY.parent / "shared" / "data"))
    found = {
        "tools": REPOSITORY / "tools",
        "bert-tiny-own": data / "checkpoint" / "bert-tiny-own",
        "all-MiniLM-L6-v2": minilm if (minilm / "model.safetensors").exists() else None,
        "wikitext2-valid.txt": data / "text" / "wikitext2-valid.txt",
        "sst2-glue-dev.tsv": data / "text" / "sst2-glue-dev.tsv",
        "stsbenchmark-sts-test.csv": data / "text" / "stsbenchmark-sts-test.csv",
        "bert-tiny-own-sst2": data / "checkpoint" / "bert-tiny-own-sst2",
        **{name: data / "family" / name for name in ("tiny-tagger", "tiny-qa", "tiny-rerank")},
    }
    return {name: path if path is not None and path.exists() else None for name, path in found.items()}


def steps(block):
    """Return [(command, expected output)] of a block's text."""
    result = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            result.append((line[2:].rstrip("\n"), ""))
        elif result:
            result[-1] = (result[-1][0], result[-1][1] + line)
    return result


def missing(block):
    """Return the first missing file that the block needs, or None."""
    if WINDOWS and (command := next((command for command in NOT_WINDOWS if command in block), None)) is not None:
        return f"{command!r} on Windows"
    return next((name for name, path in materials().items() if name in block and path is None), None)


def link_materials(folder):
    """Link these files into the folder, and build/bert-infer and examples/ as in a clone of the repository."""
    (folder / "build").mkdir()
    (folder / "build" / "bert-infer").symlink_to(PROGRAM.resolve())
    (folder / "examples").symlink_to(REPOSITORY / "examples")
    for name, path in materials().items():
        if path is not None:
            (folder / name).symlink_to(path.resolve())


def run(block):
    """Return what each command of the block prints. The commands run one after the other in one empty directory."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BERT_INFER_")}
    # The folder of this Python comes first in PATH, because this Python has the packages that tools/ needs.
    path = f"{PROGRAM.parent}:{Path(sys.executable).parent}:{environment['PATH']}"
    environment.update(PATH=path, LC_ALL="C.UTF-8", NO_COLOR="1", PYTHONDONTWRITEBYTECODE="1")
    printed = []
    with tempfile.TemporaryDirectory() as folder:
        link_materials(Path(folder))
        if "tiny-gliner" in block:
            look_alike_labels.write_gliner(Path(folder) / "tiny-gliner")
        if "tiny-gliclass" in block:
            look_alike_labels.write_gliclass(Path(folder) / "tiny-gliclass")
        for command, _ in steps(block):
            done = subprocess.run(
                ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, timeout=600, check=False
            )
            printed.append((done.stdout + done.stderr).decode())
    return printed


def matches(expected, printed):
    if WINDOWS:
        expected, printed = (re.sub(r"\\+", "/", text) for text in (expected, printed))
    pattern = ""
    for line in expected.splitlines(keepends=True):
        if line == "⋮\n":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += r"[^\n]*".join(re.escape(part) for part in line.split("…"))
    return re.fullmatch(pattern, printed) is not None


def record(path):
    """Write the present output of each command into the page, if it differs."""

    def renewed(match):
        block = match.group(1)
        if missing(block) is not None:
            return match.group(0)
        text = ""
        for (command, expected), printed in zip(steps(block), run(block)):
            text += f"$ {command}\n" + (expected if matches(expected, printed) else printed)
        return f"```console\n{text}```"

    text = path.read_text()
    path.write_text(BLOCK.sub(renewed, text))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        record(Path(name))
