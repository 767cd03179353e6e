#!/usr/bin/env python3
"""Text to tokens beside other tokenizers, on one thread, in turns: the reference's encode_batch (ids, offsets, masks)
and encode_batch_fast, nanotoken (WordPiece, ids) and gigatoken (BPE and SentencePiece, ids), those of them that the
Python environment has.

  token_peers.py --model DIRECTORY [--text FILE] [--turns 5]

DIRECTORY has tokenizer.json and a configuration. The text's lines are tokenised one by one; by default it is
text/wikitext2-test.txt in the folder BERT_TEST_DATA. Prints megabytes of text per second of the thread's CPU time,
medians of the turns, and whether the ids are equal. cold: by a thread that has met no word before.
"""

import argparse
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"
BUILD = Path(__file__).parents[2] / "build"


def rate(bytes_of_text, use):
    begin = time.thread_time()
    use()
    return 1e-6 * bytes_of_text / (time.thread_time() - begin)


def our_rates(arguments):
    """{kind: MB/s} of one turn of `bench tokenize`."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([BUILD / "tools/bench/bench", "tokenize", f"--model={arguments.model}",
                        f"--text={arguments.text}", "--benchmark_filter=(tokenize|ids|cold)/english/1/",
                        f"--benchmark_out={out.name}", "--benchmark_out_format=json"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = json.load(out)
    names = {"tokenize": "bert-infer, all", "ids": "bert-infer, ids", "cold": "bert-infer, ids, cold"}
    return {names[one["name"].split("/")[0]]: one["MB/s"] for one in found["benchmarks"]
            if one["name"].endswith("_median")}


def our_tokens(arguments, lines):
    command = [BUILD / "bert-infer", "tokenize", "--model", arguments.model, "--input", "-", "--format", "jsonl"]
    text = "".join(line + "\n" for line in lines)
    output = subprocess.run(command, check=True, input=text.encode(), stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in output.splitlines()]


def compared_ids(record, with_special_tokens):
    special = record["special_tokens_mask"]
    return [one for one, is_special in zip(record["ids"], special) if with_special_tokens or not is_special]


class Reference:
    adds_special_tokens = True

    def __init__(self, file):
        import tokenizers
        self.name = f"tokenizers {tokenizers.__version__}"
        self.tokenizer = tokenizers.Tokenizer.from_file(str(file))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def ids(self, lines):
        return [one.ids for one in self.tokenizer.encode_batch_fast(lines)]

    def rates(self, lines, size):
        return {f"{self.name}, encode_batch": rate(size, lambda: self.tokenizer.encode_batch(lines)),
                f"{self.name}, encode_batch_fast": rate(size, lambda: self.tokenizer.encode_batch_fast(lines))}


class Nanotoken:
    adds_special_tokens = True

    def __init__(self, file):
        import nanotoken
        from importlib.metadata import version
        self.name = f"nanotoken {version('nanotoken')}"
        self.tokenizer = nanotoken.Tokenizer(str(file))

    def ids(self, lines):
        return [list(map(int, row)) for row in self.tokenizer.encode_batch_list(lines, parallel=False)]

    def rates(self, lines, size):
        self.tokenizer.clear_cache()
        return {f"{self.name}, {kind}": rate(size, lambda: self.tokenizer.encode_batch(lines, parallel=False))
                for kind in ("cold", "warm")}


class Gigatoken:
    adds_special_tokens = False

    def __init__(self, file):
        import gigatoken
        from importlib.metadata import version
        self.name = f"gigatoken {version('gigatoken')}"
        self.tokenizer = gigatoken.Tokenizer(str(file))

    def ids(self, lines):
        return self.tokenizer.as_hf()(lines, add_special_tokens=False)["input_ids"]

    def rates(self, lines, size):
        return {self.name: rate(size, lambda: self.tokenizer.encode_batch(lines, parallel=False))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--text", default=os.path.join(os.environ.get("BERT_TEST_DATA", ""), "text/wikitext2-test.txt"))
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()
    lines = [line for line in re.split("\n", Path(arguments.text).read_text(encoding="utf-8")) if line]
    size = sum(len(line.encode()) for line in lines)
    file = Path(arguments.model) / "tokenizer.json"
    peers = []
    for module, make in (("tokenizers", Reference), ("nanotoken", Nanotoken), ("gigatoken", Gigatoken)):
        if importlib.util.find_spec(module) is None:
            print(f"{module} is not installed", file=sys.stderr)
            continue
        try:
            peers.append(make(file))
        except Exception as error:  # a tokenizer that it does not have
            print(f"{module} cannot load {file}: {str(error).splitlines()[0]}", file=sys.stderr)
    rates = {}
    for turn in range(arguments.turns + 1):
        of_turn = our_rates(arguments)
        for peer in peers:
            of_turn.update(peer.rates(lines, size))
        for name, value in of_turn.items():
            rates.setdefault(name, []).extend([value] if turn > 0 else [])  # the first turn warms up
    print(f"{Path(arguments.text).name}, {size / 1e6:.2f} MB in {len(lines)} lines\n\n| | MB/s |\n|---|---|")
    for name, values in rates.items():
        print(f"| {name} | {statistics.median(values):.{0 if statistics.median(values) >= 10 else 1}f} |")
    ours = our_tokens(arguments, lines)
    for peer in peers:
        both = [(compared_ids(a, peer.adds_special_tokens), list(map(int, b)))
                for a, b in zip(ours, peer.ids(lines)) if not a["truncated_tokens"]]
        print(f"ids of {peer.name}: {sum(a == b for a, b in both)} of {len(both)} whole lines equal")


if __name__ == "__main__":
    main()
