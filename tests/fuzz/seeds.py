#!/usr/bin/env python3
"""Writes the fuzz targets' first inputs: seeds.py DIRECTORY makes DIRECTORY/TARGET/*.

Real files of the folder that BERT_TEST_DATA names (../shared/data by default), where it is there, with long
vocabularies thinned out; small files written here; and tests/fuzz/findings/TARGET, what fuzzing once found."""

import json
import os
import struct
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BERT_TEST_DATA", SOURCE.parent / "shared" / "data"))
KEPT_TOKENS = 60


class Seeds:
    def __init__(self, directory):
        self.directory = Path(directory)
        self.count = 0

    def add(self, target, content):
        folder = self.directory / target
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = content.encode()
        self.count += 1
        (folder / f"seed-{self.count:05}").write_bytes(content)

    def add_files(self, target, pattern, change=lambda content: content, top=DATA):
        for path in sorted(top.glob(pattern)):
            self.add(target, change(path.read_bytes()))


def image_head(image):
    """A safetensors file as the target takes it: the bytes of data behind the header, then all up to the data."""
    (header,) = struct.unpack("<Q", image[:8])
    return struct.pack("<I", max(0, len(image) - 8 - header)) + image[: 8 + header]


def image_of(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<I", len(data)) + struct.pack("<Q", len(text)) + text


def thinned(text):
    """A tokenizer.json with a part of its vocabulary, all that other fields name included."""
    tokenizer = json.loads(text)
    model = tokenizer["model"]
    elsewhere = json.dumps({key: value for key, value in tokenizer.items() if key != "model"})
    vocabulary = model["vocab"]
    if isinstance(vocabulary, dict):
        named = [token for token in vocabulary if json.dumps(token) in elsewhere or token == model.get("unk_token")]
        kept = dict.fromkeys(named + sorted(vocabulary, key=vocabulary.get)[-KEPT_TOKENS:])
        model["vocab"] = {token: vocabulary[token] for token in kept}
    else:
        model["vocab"] = vocabulary[:KEPT_TOKENS]
    tokenizer["added_tokens"] = tokenizer["added_tokens"][:6]
    for part in (tokenizer.get("normalizer") or {}, *(tokenizer.get("normalizer") or {}).get("normalizers", [])):
        if "precompiled_charsmap" in part:
            part["precompiled_charsmap"] = part["precompiled_charsmap"][:2000]
    if "merges" in model:
        model["merges"] = model["merges"][:KEPT_TOKENS]
    return json.dumps(tokenizer, ensure_ascii=False).encode()


def some_lines(text):
    lines = text.split(b"\n")
    step = max(1, len(lines) // KEPT_TOKENS)
    return b"\n".join(lines[:5] + [b"[UNK]", b"[CLS]", b"[SEP]", b"[PAD]", b"[MASK]"] + lines[5::step])


def safetensors(seeds):
    seeds.add_files("safetensors", "**/*.safetensors", image_head)
    seeds.add_files("safetensors", "checkpoint/negative/*header.bin", lambda head: struct.pack("<I", 90_000_000) + head)
    seeds.add("safetensors", image_of({}))
    seeds.add("safetensors", image_of({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, bytes(8)))
    seeds.add("safetensors", image_of({"__metadata__": {"format": "pt"},
                                       "é\n": {"dtype": "BF16", "shape": [], "data_offsets": [0, 2]},
                                       "e": {"dtype": "F8_E4M3", "shape": [0, 3], "data_offsets": [2, 2]}}, bytes(2)))
    seeds.add("safetensors", image_of(b'{"a\\u00e9\\ud83d\\ude00":{"shape":[1],"data_offsets":[0,1],"dtype":"BOOL"}} ', b"1"))


def shard_index(seeds):
    seeds.add_files("shard_index", "**/*.index.json")
    seeds.add("shard_index", json.dumps({"metadata": {"total_size": 12, "note": [1, {"a": None}]},
                                         "weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}))


def config(seeds):
    seeds.add_files("config", "**/config.json")
    seeds.add_files("config", "models/builtin/config.json", top=SOURCE)
    seeds.add("config", json.dumps({"model_type": "bert", "hidden_size": 32, "num_attention_heads": 4, "num_labels": 3,
                                    "layer_norm_eps": 1e-5, "hidden_act": "relu", "vocab_size": 9}))


def tokenizer_json(seeds):
    seeds.add_files("tokenizer_json", "tokenizer_json/*tokenizer.json", thinned)
    seeds.add_files("tokenizer_json", "family/*/tokenizer.json", thinned)


def vocabulary(seeds):
    config = b'{"do_lower_case": false, "unk_token": "[UNK]", "added_tokens_decoder": {"9": {"content": "[ENT]"}}}'
    seeds.add_files("vocabulary", "vocab/*.txt", some_lines)
    seeds.add_files("vocabulary", "vocab/*uncased*.txt", lambda text: some_lines(text) + b"\0" + config)
    seeds.add_files("vocabulary", "models/builtin/vocab.txt", some_lines, top=SOURCE)
    for path in sorted(DATA.glob("**/tokenizer_config.json")) + sorted(DATA.glob("**/*.tokenizer_config.json")):
        seeds.add("vocabulary", b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nquick\n##k\0" + path.read_bytes())


def json_record(seeds):
    for line in ('{"id": 7, "text": "one", "pair": "two"}', '{"id": "a", "ids": [101, 102], "type_ids": [0, 1]}',
                 '{"text": "\\ud83d\\ude00é", "other": {"x": [1.5e3, null]}}', '{"id": -0.10, "text": ""}',
                 '{"ids": [2, 3], "attention_mask": [1, 1], "tokens": ["a", "b"]}', '{"id": null, "text": "x", "id": 1}',
                 '{"ids": [99999999999]}', "[]", "", "{", '{"text": 3}'):
        seeds.add("json_record", line)
    seeds.add_files("json_record", "golden/cases.jsonl", lambda text: text.split(b"\n")[0])
    for path in sorted(DATA.glob("tokenizer/public.jsonl")):
        with path.open("rb") as file:
            for number, line in enumerate(file):
                if number % 1500 == 0:
                    seeds.add("json_record", line.rstrip(b"\n"))


def tokenizer(seeds):
    texts = ["The quick brown fox [MASK] jumps", "foo bar zz  foo[CLS] FOO Bar", "naïve Ｃafé e\u0301\u0323 \u1112\u1161",
             "中国 2024年 x\u200by \u2028", "don't $5+3=8 “q”—x…", "İstanbul ΣΑΣ \U0001F600", "a" * 101 + " b"]
    for name in ("text/blns.txt", "text/emoji-test.txt", "text/udhr_sample.tsv"):
        for path in sorted(DATA.glob(name)):
            lines = [line for line in path.read_text("utf-8", "replace").split("\n") if line.strip()]
            texts += lines[:: max(1, len(lines) // 60)]
    for number, text in enumerate(texts):
        seeds.add("tokenizer", bytes([number % 8]) + text.encode()[:300])
    seeds.add("tokenizer", b"\0\xed\xa0\x80 \xc0\x80 \xf4\x90\x80\x80 \xff")


def main():
    seeds = Seeds(sys.argv[1])
    for make in (safetensors, shard_index, config, tokenizer_json, vocabulary, json_record, tokenizer):
        make(seeds)
        seeds.add_files(make.__name__, f"tests/fuzz/findings/{make.__name__}/*", top=SOURCE)
    print(f"{seeds.count} seeds in {seeds.directory}" + ("" if DATA.is_dir() else
          "; SKIPPED, no test data: real files (set BERT_TEST_DATA)"))


if __name__ == "__main__":
    main()
