#!/usr/bin/env python3
"""Writes the first inputs of the fuzz targets: seeds.py DIRECTORY makes DIRECTORY/TARGET/*.

The inputs are real files from the folder that BERT_TEST_DATA names (../shared/data by default), if it exists, with
shortened vocabularies; small files that this program makes; and earlier findings, tests/fuzz/findings/TARGET."""

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
    """Returns a safetensors file in the target's form: the number of bytes of data, then the file up to its data."""
    (header,) = struct.unpack("<Q", image[:8])
    return struct.pack("<I", max(0, len(image) - 8 - header)) + image[: 8 + header]


def image_of(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<I", len(data)) + struct.pack("<Q", len(text)) + text


def thinned(text):
    """Returns a tokenizer.json with a part of its vocabulary, including all tokens that other fields name."""
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
    for shape, dtype in (([2**40, 2**40], "F32"), ([1] * 200, "F32"), ([3], "F4"), ([5], "F6_E2M3")):
        seeds.add("safetensors", image_of({"a": {"dtype": dtype, "shape": shape, "data_offsets": [0, 4]}}, bytes(4)))
    seeds.add("safetensors", image_of({"n" * 1500: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, bytes(4)))
    seeds.add("safetensors", image_of({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, bytes(8)))
    seeds.add("safetensors", image_of({"__metadata__": {"format": "pt"},
                                       "é\n": {"dtype": "BF16", "shape": [], "data_offsets": [0, 2]},
                                       "e": {"dtype": "F8_E4M3", "shape": [0, 3], "data_offsets": [2, 2]}}, bytes(2)))
    seeds.add("safetensors", image_of(b'{"a\\u00e9\\ud83d\\ude00":{"shape":[1],"data_offsets":[0,1],'
                                      b'"dtype":"BOOL"}} ', b"1"))


def shard_index(seeds):
    seeds.add_files("shard_index", "**/*.index.json")
    seeds.add("shard_index", json.dumps({"weight_map": {"n" * 1500: "model-1.safetensors"}}))
    seeds.add("shard_index", json.dumps({"metadata": {"total_size": 12, "note": [1, {"a": None}]},
                                         "weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}))


def config(seeds):
    seeds.add_files("config", "**/config.json")
    seeds.add_files("config", "models/builtin/config.json", top=SOURCE)
    seeds.add("config", json.dumps({"model_type": "bert", "hidden_size": 32, "num_attention_heads": 4, "num_labels": 3,
                                    "layer_norm_eps": 1e-5, "hidden_act": "relu", "vocab_size": 9}))
    for more in ({"pruned_heads": {"1": [0]}}, {"pruned_heads": 3}, {"max_position_embeddings": 1, "pad_token_id": 1}):
        seeds.add("config", json.dumps({"model_type": "roberta", "hidden_size": 32, "num_attention_heads": 4} | more))


def tokenizers_of_each_part():
    """Yields small tokenizer.json files that together have every kind of every part. Some are refused."""
    words = ["[UNK]", "[CLS]", "[SEP]", "\u2581", "\u2581the", "t", "h", "e", "the", "##e", "\u0120", "9", ",", "'"]
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
             "max_input_chars_per_word": 100, "vocab": {word: number for number, word in enumerate(words)}}
    bpe = {"type": "BPE", "unk_token": "[UNK]", "dropout": None, "fuse_unk": True, "byte_fallback": True,
           "vocab": model["vocab"], "merges": [["t", "h"], ["th", "e"]]}
    template = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {}}
    bytes_part = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    parts = {
        "normalizer": [
            {"type": kind} for kind in ("Lowercase", "StripAccents", "NFD", "NFC", "NFKD", "NFKC", "ByteLevel", "Nmt")
        ] + [
            {"type": "Replace", "pattern": {"String": "e"}, "content": "ee"},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            {"type": "Replace", "pattern": {"Regex": "x+"}, "content": ""},
            {"type": "Replace", "pattern": {"Regex": "plain"}, "content": ""},
            {"type": "Replace", "pattern": {"Regex": "[a-z]"}, "content": ""},
            {"type": "Replace", "pattern": {"Regex": "ab{0,}"}, "content": ""},
            {"type": "Replace", "pattern": {"Regex": "a{0,}"}, "content": ""},
            {"type": "Replace", "pattern": {"Regex": "a*"}, "content": ""},
            {"type": "Strip", "strip_left": True, "strip_right": True},
            {"type": "Prepend", "prepend": "\u2581"},
        ],
        "pre_tokenizer": [{"type": kind} for kind in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit",
                                                    "UnicodeScripts")] + [
            {"type": "FixedLength", "length": 2},
            {"type": "Punctuation", "behavior": "Isolated"},
            {"type": "Punctuation", "behavior": "Removed"},
            {"type": "Digits", "individual_digits": True},
            {"type": "Digits", "individual_digits": False},
            {"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": False},
            {"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": False, "prepend_scheme": "always"},
            bytes_part,
        ] + [
            {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": True}
            for scheme in ("always", "first", "never", "often")
        ],
        "decoder": [{"type": kind} for kind in ("ByteLevel", "ByteFallback", "Fuse", "BPEDecoder")] + [
            {"type": "WordPiece", "prefix": "##", "cleanup": True},
            {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
            {"type": "BPEDecoder", "suffix": "</w>"},
            {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
            {"type": "Replace", "pattern": {"Regex": "a+"}, "content": " "},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
        "post_processor": [
            template,
            dict(template, single=[{"Sequence": {"id": "B", "type_id": 0}}]),
            bytes_part,
            {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
            {"type": "RobertaProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1], "trim_offsets": True,
             "add_prefix_space": False},
            {"type": "Sequence", "processors": [bytes_part, template]},
            {"type": "Sequence", "processors": [template]},
            {"type": "Sequence", "processors": [template, template]},
        ],
    }
    inner = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}
    for part, kinds in parts.items():
        sequences = [{"type": "Sequence", inner[part]: [kind, kinds[0]]} for kind in kinds] if part in inner else []
        for whole in kinds + sequences:
            tokenizer = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
                         "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": model}
            for each_model in (model, bpe):
                yield json.dumps(tokenizer | {part: whole, "model": each_model}).encode()
    for change in ({"dropout": 0.1}, {"merges": ["t h", "th e"]}, {"merges": ["t h", ["th", "e"]]}):
        yield json.dumps({"version": "1.0", "added_tokens": [], "normalizer": None, "pre_tokenizer": None,
                          "post_processor": None, "decoder": None, "model": bpe | change}).encode()


def tokenizer_json(seeds):
    seeds.add("tokenizer_json", "{}")
    for text in tokenizers_of_each_part():
        seeds.add("tokenizer_json", text)
    seeds.add_files("tokenizer_json", "tokenizer_json/*tokenizer.json", thinned)
    seeds.add_files("tokenizer_json", "family/*/tokenizer.json", thinned)


def varint(value):
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(encoded) + bytes([value])


def fields(message):
    """Yields the fields of a protocol-buffer message: number, wire type, value."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = number()
        if tag & 7 == 0:
            value = number()
        else:
            size = {1: 8, 2: None, 5: 4}[tag & 7]
            size = number() if size is None else size
            value = message[at : at + size]
            at += size
        yield tag >> 3, tag & 7, value


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def thinned_pieces(model):
    """Returns a shortened, valid SentencePiece file: its kind, first pieces, and part of its normalizer's table."""
    pieces = []
    rest = b""
    for number, _, value in fields(model):
        if number == 1:
            pieces.append(field(1, value))
        elif number == 2:
            rest += field(2, b"".join(field(n, v) for n, wire, v in fields(value) if n == 3 and wire == 0))
        elif number == 3:
            table = next((v for n, _, v in fields(value) if n == 2), b"")
            rest += field(3, field(2, table if len(table) < 3000 else b""))
    return b"".join(pieces[:KEPT_TOKENS]) + rest


def tokenizer_files(seeds):
    for text in tokenizers_of_each_part():
        seeds.add("tokenizer_files", b"\0" + text)
    config = b'{"tokenizer_class": "RobertaTokenizer", "add_prefix_space": true, "model_max_length": 12}'
    seeds.add_files("tokenizer_files", "tokenizer_json/*tokenizer.json", lambda text: b"\0" + thinned(text))
    for path in sorted(DATA.glob("tokenizer_json/*.tokenizer.json"))[:2]:
        seeds.add("tokenizer_files", b"\0" + thinned(path.read_bytes()) +
                  b'\0{"do_lower_case": false, "pad_token": "[PAD]", '
                  b'"added_tokens_decoder": {"7": {"content": "[ENT]", "lstrip": true}}}'
                  b'\0{"unk_token": {"content": "[UNK]"}}')
    vocabulary = {token: number for number, token in enumerate(
        ["<s>", "<pad>", "</s>", "<unk>", *"abcdefghijklmnopqrstuvwxyzT,'", "\u0120", "\u0120b", "th", "he", "the",
         "<mask>"])}
    merges = "#version: 0.2\nt h\nh e\nth e\n\u0120 b\n"
    for end in (b"", b"\0" + config):
        seeds.add("tokenizer_files", b"\1" + json.dumps(vocabulary).encode() + b"\0" + merges.encode() + end)
    lines = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nquick\n##k"
    seeds.add("tokenizer_files", b"\2" + lines +
              b'\0{"[ENT]": 8}\0{"additional_special_tokens": ["[ENT]"]}\0{"model_type": "bert"}')
    for path in sorted(DATA.glob("sentencepiece/*.*m*")):
        if path.suffix in (".model", ".spm"):
            for kind in (b"\3", b"\4", b"\5"):
                seeds.add("tokenizer_files", kind + thinned_pieces(path.read_bytes()))
    scored = (
        (b"<unk>", 0, 2), (b"<s>", 0, 3), (b"</s>", 0, 3), ("\u2581".encode(), -2, 1), ("\u2581T".encode(), -3, 1),
        (b"h", -3, 1), (b"e", -3, 1), (b"he", -3.5, 1), (b"9,", -4, 1), (b"fox", 0, 4), (b"<0x41>", 0, 6))
    pieces = b"".join(field(1, field(1, text) + b"\x15" + struct.pack("<f", score) + field(3, kind))
                      for text, score, kind in scored)
    for kind in (b"\3", b"\4", b"\5"):
        for model in (1, 2):
            seeds.add("tokenizer_files", kind + pieces + field(2, field(3, model)))


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
                 '{"ids": [2, 3], "attention_mask": [1, 1], "tokens": ["a", "b"]}',
                 '{"id": null, "text": "x", "id": 1}', '{"ids": [99999999999]}', "[]", "", "{", '{"text": 3}'):
        seeds.add("json_record", line)
    name = "k" * 5000
    seeds.add("json_record", f'{{"{name}": 1, "{name}": 2}}')
    seeds.add_files("json_record", "golden/cases.jsonl", lambda text: text.split(b"\n")[0])
    for path in sorted(DATA.glob("tokenizer/public.jsonl")):
        with path.open("rb") as file:
            for number, line in enumerate(file):
                if number % 1500 == 0:
                    seeds.add("json_record", line.rstrip(b"\n"))


def tokenizer(seeds):
    texts = ["The quick brown fox [MASK] jumps", "foo bar zz  foo[CLS] FOO Bar",
             "naïve Ｃafé e\u0301\u0323 \u1112\u1161", "中国 2024年 x\u200by \u2028",
             "don't $5+3=8 “q”—x…", "İstanbul ΣΑΣ \U0001F600", "a" * 101 + " b"]
    for name in ("text/blns.txt", "text/emoji-test.txt", "text/udhr_sample.tsv"):
        for path in sorted(DATA.glob(name)):
            lines = [line for line in path.read_text("utf-8", "replace").split("\n") if line.strip()]
            texts += lines[:: max(1, len(lines) // 60)]
    for number, text in enumerate(texts):
        seeds.add("tokenizer", bytes([number % 8]) + text.encode()[:300])
    seeds.add("tokenizer", b"\0\xed\xa0\x80 \xc0\x80 \xf4\x90\x80\x80 \xff")


def server_body(seeds):
    bodies = ({"input": ["a", "b"], "encoding_format": "base64", "dimensions": 8}, {"input": [[1, 2], [3]]},
              {"inputs": "a text", "truncate": True, "truncation_direction": "Left", "normalize": False},
              {"inputs": [["a", "b"], ["c", "d"]], "raw_scores": True},
              {"query": "a", "texts": ["b"], "return_text": True},
              {"inputs": {"source_sentence": "a", "sentences": ["b", "c"]}, "parameters": {"truncate": False}},
              {"ids": [[1, 2, 3]], "skip_special_tokens": True}, {"instances": [{"inputs": "a"}, {"inputs": "b"}]},
              {"model": "built-in", "query": "a", "documents": ["b", {"text": "c"}], "top_n": 1},
              {"texts": ["a"], "input_type": "search_query", "embedding_types": ["float", "int8", "ubinary", "base64"],
               "truncate": "END", "output_dimension": 16}, {"input": "a", "options": {}, "keep_alive": "5m"},
              {"prompt": "a"}, {"model": "built-in:latest"})
    for route in range(24):
        for body in bodies:
            seeds.add("server_body", bytes([route]) + json.dumps(body).encode())
    for body in ("", "{", "[]", "[" * 40,
                 '{"inputs": "\\ud800"}', '{"inputs": 3}', '{"input": []}', '{"input": [null]}'):
        seeds.add("server_body", b"\0" + body.encode())


def server_request(seeds):
    post = "POST /a?b=c HTTP/1.1\r\nHost: x\r\n"
    for request in ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /%41?%zz HTTP/1.0\r\n\r\n",
                    "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" * 3, "POST /refused HTTP/1.1\r\nContent-Length: 2\r\n\r\nab",
                    post + "Content-Length: 3\r\n\r\nxyz", post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nxyz",
                    post + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\nxyz",
                    post + "Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nxyz\r\n0\r\nEnd: 1\r\n\r\n",
                    post + "Transfer-Encoding: gzip, chunked\r\n\r\nffffffffffffffff1\r\nx",
                    post + "Content-Encoding: gzip\r\nConnection: upgrade\r\n\r\n", post + "Content-Length: -1\r\n\r\n",
                    "GET / HTTP/2.0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "OPTIONS * HTTP/1.1\r\n\r\n",
                    "CONNECT a:1 HTTP/1.1\r\n\r\n", "GET http://a/b HTTP/1.1\r\nHost:\r\n\r\n", "\x16\x03\x01", ""):
        seeds.add("server_request", request.encode())


def main():
    seeds = Seeds(sys.argv[1])
    for make in (safetensors, shard_index, config, tokenizer_json, tokenizer_files, vocabulary, json_record, tokenizer,
                 server_body, server_request):
        make(seeds)
        seeds.add_files(make.__name__, f"tests/fuzz/findings/{make.__name__}/*", top=SOURCE)
    print(f"{seeds.count} seeds in {seeds.directory}" + ("" if DATA.is_dir() else
          "; SKIPPED, no test data: real files (set BERT_TEST_DATA)"))


if __name__ == "__main__":
    main()
