"""Makes random tokenizer.json files, small configurations beside them, and texts for them. Needs only the standard
library."""

import json
import pathlib
import random

ALPHABET = list("aabcdeAZsStlrv  ..,,''!-_@#12") + [
    "é", "É", "e\u0301", "İ", "i\u0307", "ß", "ſ", "K", "ﬁ", "中", "文", "한", "が", "ก\u0e34", "а", "Я", "½", "٣", "²",
    "—", "…", "“", "▁", "Ġ", "\x01", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u200b", "\u200d", "👩\u200d💻", "\ufe0f",
    "\U0001e030", "\U00031350", "\U0001fae8", "\U0001e4f1", "\U00010d50",
    "\u0345", "\u093e", "ỗ", "\u1e9b\u0323", "<a>", "[B]", "don't", "I'LL", "they'RE", "123456", "hello", "Hello world"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
EXPRESSIONS = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
    r"\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|"
    r"\s+(?!\S)|\s+",
    r"\s+", r" {2,}", r"\w+|[^\w\s]+", r"\p{N}", r"\d{1,2}", r"[a-e]+", r"(?<=a)", r"x*", r"^", r"$", r"\b", r".",
    r"é|b",
    r"[\p{L}\p{M}]+", r"\p{Lu}", r"[^\s]", r"(a)|(b)", r"\p{P}+", r"▁+", r"a+?", r"(?=[A-Z])", "e",
    r"(?i:\p{Lu})|x", r"(?i)[^\P{L}a]", r"\W+", r"[^\w]", r"\D", r"[\P{N}a]+", r"[a-z&&[^aeiou]]", r"(?<!\p{L})\p{L}",
    r"[[:punct:]]", r"\p{^Nd}", r"\p{So}|\p{Lowercase_Letter}", r"(?>a+)b|\h", r"\B", r"[[:^punct:][:space:]]+",
    r"\R", r"(?m:.)+?,"]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


def text(draw: random.Random) -> str:
    """Returns a short text of odd characters."""
    return "".join(draw.choice(ALPHABET) for _ in range(draw.randrange(1, 16)))


def pattern(draw: random.Random) -> dict:
    """Returns a random pattern for Split and Replace."""
    if draw.random() < 0.4:
        return {"String": draw.choice([" ", ",", "a", "ll", ".", "▁", "é", "12", "''"])}
    return {"Regex": draw.choice(EXPRESSIONS)}


def metaspace(draw: random.Random) -> dict:
    """Returns a random Metaspace, for pre-tokenizers and decoders."""
    return {"type": "Metaspace", "replacement": draw.choice("▁▁▁_"),
            "prepend_scheme": draw.choice(["always", "first", "never"]), "split": draw.random() < 0.8}


def normalizer(draw: random.Random, depth: int = 0) -> dict | None:
    """Returns a random normalizer of a kind that the program supports, or None."""
    kind = draw.choice([None, "BertNormalizer", "Lowercase", "StripAccents", "NFD", "NFC", "NFKD", "NFKC", "Replace",
                        "Strip", "Prepend", "Nmt", "Sequence", "Sequence", "Sequence"])
    if kind == "Sequence" and depth < 2:
        parts = [normalizer(draw, depth + 1) for _ in range(draw.randrange(1, 5))]
        return {"type": "Sequence", "normalizers": [part for part in parts if part]}
    return {
        "BertNormalizer": {"type": kind, "clean_text": draw.random() < 0.8, "handle_chinese_chars": draw.random() < 0.7,
                           "strip_accents": draw.choice([None, True, False]), "lowercase": draw.random() < 0.5},
        "Replace": {"type": kind, "pattern": pattern(draw), "content": draw.choice(["", " ", "▁", "xy", "é"])},
        "Strip": {"type": kind, "strip_left": draw.random() < 0.5, "strip_right": draw.random() < 0.5},
        "Prepend": {"type": kind, "prepend": draw.choice(["▁", "ab", " "])},
        "Lowercase": {"type": kind}, "StripAccents": {"type": kind}, "NFD": {"type": kind}, "NFC": {"type": kind},
        "NFKD": {"type": kind}, "NFKC": {"type": kind}, "Nmt": {"type": kind},
    }.get(kind)


def pre_tokenizer(draw: random.Random, depth: int = 0) -> dict | None:
    """Returns a random pre-tokenizer of a kind that the program supports, or None."""
    kind = draw.choice(["BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation", "Split", "Split", "Split",
                        "Metaspace", "ByteLevel", "Digits", "CharDelimiterSplit", "UnicodeScripts", "FixedLength",
                        "Sequence", "Sequence", None])
    if kind == "Sequence" and depth < 2:
        parts = [pre_tokenizer(draw, depth + 1) for _ in range(draw.randrange(1, 4))]
        return {"type": "Sequence", "pretokenizers": [part for part in parts if part]}
    return {
        "BertPreTokenizer": {"type": kind}, "Whitespace": {"type": kind}, "WhitespaceSplit": {"type": kind},
        "Punctuation": {"type": kind, "behavior": draw.choice(BEHAVIORS)},
        "Split": {"type": kind, "pattern": pattern(draw), "behavior": draw.choice(BEHAVIORS),
                  "invert": draw.random() < 0.3},
        "Metaspace": metaspace(draw),
        "ByteLevel": {"type": kind, "add_prefix_space": draw.random() < 0.5, "trim_offsets": draw.random() < 0.5,
                      "use_regex": draw.random() < 0.6},
        "Digits": {"type": kind, "individual_digits": draw.random() < 0.5},
        "CharDelimiterSplit": {"type": kind, "delimiter": draw.choice(" ,-é")},
        "UnicodeScripts": {"type": kind}, "FixedLength": {"type": kind, "length": draw.randrange(1, 7)},
    }.get(kind)


def pieces(draw: random.Random, count: int) -> list[str]:
    """Returns different short strings, half of them single characters."""
    found = dict.fromkeys(draw.choice(ALPHABET)[:1] for _ in range(count // 2))
    while len(found) < count:
        found["".join(draw.choice(ALPHABET) for _ in range(draw.randrange(1, 4)))] = None
    return list(found)


def model(draw: random.Random, kind: str = "", special: list[str] = SPECIAL) -> dict:
    """Returns a random model of one of the four kinds. Its first tokens are `special`."""
    kind = kind or draw.choice(["WordPiece", "BPE", "BPE", "Unigram", "WordLevel"])
    words = [word for word in pieces(draw, 60) if word not in special]
    if kind == "WordLevel":
        return {"type": kind, "vocab": numbered(special + words), "unk_token": "[UNK]"}
    if kind == "WordPiece":
        continued = ["##" + word for word in pieces(draw, 40)]
        return {"type": kind, "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": draw.choice([100, 100, 5]), "vocab": numbered(special + words + continued)}
    bytes_of_fallback = [f"<0x{byte:02X}>" for byte in range(256)] if draw.random() < 0.3 else []
    if kind == "Unigram":
        return {"type": kind, "unk_id": 1, "byte_fallback": bool(bytes_of_fallback),
                "vocab": [[token, -draw.randrange(1, 90) / 7] for token in special + bytes_of_fallback + words]}
    characters = [part for part in ALPHABET if len(part) == 1]
    tokens = dict.fromkeys(special + bytes_of_fallback + characters + ["Ġ", "Ã"])
    merges = []
    for _ in range(40):
        plain = [token for token in tokens if token not in special and not token.startswith("<0x")]
        left, right = draw.choice(plain), draw.choice(plain)
        if " " in left + right or [left, right] in merges:
            continue
        tokens[left + right] = None
        merges.append([left, right])
    return {"type": kind, "dropout": None, "unk_token": draw.choice([None, "[UNK]"]), "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": draw.random() < 0.4, "byte_fallback": bool(bytes_of_fallback),
            "ignore_merges": draw.random() < 0.2, "vocab": numbered(tokens), "merges": merges}


def numbered(tokens) -> dict[str, int]:
    """Returns the index of each token."""
    return {token: place for place, token in enumerate(dict.fromkeys(tokens))}


def added_token(draw: random.Random, index: int, content: str, special: bool) -> dict:
    """Returns a random entry of added_tokens."""
    return {"id": index, "content": content, "single_word": draw.random() < 0.1, "lstrip": draw.random() < 0.1,
            "rstrip": draw.random() < 0.1, "normalized": not special and draw.random() < 0.6, "special": special}


def post_processor(draw: random.Random) -> dict | None:
    """The usual ones."""
    template = {"type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                           {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
                "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                         {"SpecialToken": {"id": "[SEP]", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}},
                         {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
                "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                                   "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}}
    flags = {"trim_offsets": draw.random() < 0.6, "add_prefix_space": draw.random() < 0.5}
    byte_level = {"type": "ByteLevel", "use_regex": True, **flags}
    names = {"sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}
    return draw.choice([template, template, {"type": "BertProcessing", **names},
                        {"type": "RobertaProcessing", **names, **flags}, byte_level, {"type": "Sequence",
                        "processors": [byte_level, template]}, None])


def decoder(draw: random.Random) -> dict | None:
    """The usual ones."""
    replace = {"type": "Replace", "pattern": pattern(draw), "content": draw.choice([" ", "", "xy"])}
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    return draw.choice([None, {"type": "WordPiece", "prefix": "##", "cleanup": draw.random() < 0.5}, byte_level,
                        metaspace(draw), {"type": "BPEDecoder", "suffix": "</w>"}, replace,
                        {"type": "Sequence", "decoders": [replace, {"type": "ByteFallback"}, {"type": "Fuse"},
                                                          {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}])


def tokenizer(draw: random.Random) -> dict:
    """Returns a random tokenizer.json."""
    its_model = model(draw)
    count = len(its_model["vocab"])
    added = [added_token(draw, index, content, True) for index, content in enumerate(SPECIAL)]
    if draw.random() < 0.4:
        names = draw.sample(["<a>", "[B]", "<é>", "hello", "Ab ", "中"], draw.randrange(1, 4))
        vocab = its_model["vocab"]
        known = dict(vocab) if isinstance(vocab, dict) else {token: index for index, (token, _) in enumerate(vocab)}
        for name in names:
            added.append(added_token(draw, known.get(name, count), name, draw.random() < 0.4))
            count += name not in known
    added.sort(key=lambda token: token["id"])
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
            "normalizer": normalizer(draw), "pre_tokenizer": pre_tokenizer(draw),
            "post_processor": post_processor(draw),
            "decoder": decoder(draw), "model": its_model}


def write_json(path: pathlib.Path, content: dict) -> None:
    """Writes JSON as transformers does."""
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def write_tokenizer(directory: pathlib.Path, draw: random.Random) -> None:
    """Writes a random tokenizer.json, and a configuration with which the class reads it unchanged."""
    write_json(directory / "tokenizer.json", tokenizer(draw))
    write_json(directory / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast"})
