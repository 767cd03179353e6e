#!/usr/bin/env python3
"""Compares the tokenizer with others, on one thread and in turns. The others are the reference's encode_batch (ids,
offsets, masks) and encode_batch_fast, and each of nanotoken, gigatoken, tokie, kitoken and fastokens that the Python
environment has and that can load the file.

  token_peers.py --model DIRECTORY [--text FILE] [--turns 5]

DIRECTORY has tokenizer.json and a configuration. The text's lines are tokenised one by one; by default it is
text/wikitext2-test.txt in the folder BERT_TEST_DATA. Prints megabytes of text per second of CPU time, as medians of the
turns, and how many lines have the same ids. `cold` is a new process or thread that has tokenised one letter before.
`warm` is the same text once more.
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

from turns import in_turns, print_table

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
BUILD = Path(__file__).parents[2] / "build"


def rate(bytes_of_text, use):
    begin = time.process_time()
    use()
    return 1e-6 * bytes_of_text / (time.process_time() - begin)


def rates_of_new_process(call, lines, size):
    """Returns the MB/s of call(lines) in a child process, the first time and the second time."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        found = []
        try:
            call(["x"])
            found = [rate(size, lambda: call(lines)) for _ in range(2)]
        finally:
            os.write(write_end, json.dumps(found).encode())
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        found = json.load(pipe)
    os.waitpid(child, 0)
    if len(found) != 2:
        raise RuntimeError("the call failed in a child process")
    return {"cold": found[0], "warm": found[1]}


def our_rates(arguments):
    """Returns {kind: MB/s} of one turn of `bench tokenize`."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([BUILD / "tools/bench/bench", "tokenize", f"--model={arguments.model}",
                        f"--text={arguments.text}", "--benchmark_filter=(tokenize|ids|cold)/english/1/",
                        f"--benchmark_out={out.name}", "--benchmark_out_format=json"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = json.load(out)
    names = {"tokenize": "bert-infer, offsets and all, warm", "ids": "bert-infer, ids, warm",
             "cold": "bert-infer, ids, cold"}
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


class Peer:
    """A tokenizer. ids(lines) returns ids. calls() returns {name of a result: function of lines that computes it}."""

    adds_special_tokens = False

    def __init__(self, module):
        from importlib.metadata import version
        self.name = f"{module} {version(module)}"

    def rates(self, lines, size):
        found = {}
        for kind, call in self.calls().items():
            for state, value in rates_of_new_process(call, lines, size).items():
                found[f"{self.name}, {kind}, {state}"] = value
        return found


class Reference(Peer):
    def __init__(self, file):
        import tokenizers
        super().__init__("tokenizers")
        self.tokenizer = tokenizers.Tokenizer.from_file(str(file))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def ids(self, lines):
        return [one.ids for one in self.tokenizer.encode_batch_fast(lines, add_special_tokens=False)]

    def calls(self):
        return {"encode_batch (offsets)": self.tokenizer.encode_batch,
                "encode_batch_fast": self.tokenizer.encode_batch_fast}


class Nanotoken(Peer):
    adds_special_tokens = True

    def __init__(self, file):
        import nanotoken
        super().__init__("nanotoken")
        self.tokenizer = nanotoken.Tokenizer(str(file))

    def ids(self, lines):
        return [list(map(int, row)) for row in self.tokenizer.encode_batch_list(lines, parallel=False)]

    def calls(self):
        return {"ids": lambda lines: self.tokenizer.encode_batch(lines, parallel=False)}


class Gigatoken(Peer):
    def __init__(self, file):
        import gigatoken
        super().__init__("gigatoken")
        self.tokenizer = gigatoken.Tokenizer(str(file))

    def ids(self, lines):
        return self.tokenizer.as_hf()(lines, add_special_tokens=False)["input_ids"]

    def calls(self):
        return {"ids": lambda lines: self.tokenizer.encode_batch(lines, parallel=False)}


class Tokie(Peer):
    def __init__(self, file):
        import tokie
        super().__init__("tokie")
        self.tokenizer = tokie.Tokenizer.from_json(str(file))

    def ids(self, lines):
        return [self.tokenizer.encode(line, add_special_tokens=False).ids for line in lines]

    def calls(self):
        return {"ids": lambda lines: [self.tokenizer.encode(line) for line in lines],
                "offsets": lambda lines: [self.tokenizer.encode_with_offsets(line) for line in lines]}


class Kitoken(Peer):
    def __init__(self, file):
        import kitoken
        super().__init__("kitoken")
        self.tokenizer = kitoken.Kitoken.from_file(str(file))

    def ids(self, lines):
        return self.tokenizer.encode_all(lines, False)

    def calls(self):
        return {"ids": lambda lines: self.tokenizer.encode_all(lines, False)}


class Fastokens(Peer):
    def __init__(self, file):
        import fastokens
        super().__init__("fastokens")
        self.tokenizer = fastokens.Tokenizer.from_file(str(file))

    def encode(self, lines):
        return [self.tokenizer.encode(line, add_special_tokens=False) for line in lines]

    def ids(self, lines):
        return [getattr(one, "ids", one) for one in self.encode(lines)]

    def calls(self):
        return {"ids": self.encode}


PEERS = {"tokenizers": Reference, "nanotoken": Nanotoken, "gigatoken": Gigatoken, "tokie": Tokie, "kitoken": Kitoken,
         "fastokens": Fastokens}


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
    for module, make in PEERS.items():
        if importlib.util.find_spec(module) is None:
            print(f"{module} is not installed", file=sys.stderr)
            continue
        try:
            peers.append(make(file))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # the file's tokenizer is not supported; a panic of Rust is no Exception
            print(f"{module} cannot load {file}: {str(error).splitlines()[0]}", file=sys.stderr)
    runs = {"bert-infer": lambda: our_rates(arguments)}
    runs.update({peer.name: lambda peer=peer: peer.rates(lines, size) for peer in peers})
    medians = {name: statistics.median(of_turn[name] for of_turn in of_turns)
               for of_turns in in_turns(runs, arguments.turns, warm_up=1).values() for name in of_turns[0]}
    print(f"{Path(arguments.text).name}, {size / 1e6:.2f} MB in {len(lines)} lines\n")
    print_table(["", "MB/s"], ([name, f"{median:.{0 if median >= 10 else 1}f}"] for name, median in medians.items()))
    ours = our_tokens(arguments, lines)
    for peer in peers:
        both = [(compared_ids(a, peer.adds_special_tokens), list(map(int, b)))
                for a, b in zip(ours, peer.ids(lines)) if not a["truncated_tokens"]]
        print(f"ids of {peer.name}: {sum(a == b for a, b in both)} of {len(both)} whole lines equal")


if __name__ == "__main__":
    main()
