"""Writes the tokenizers of look-alikes: a class's kind of files, with a few tokens. Uses only the standard library."""

import json
import struct
from pathlib import Path

WORDS = ["the", "fox", "quick", "brown", "jumps", "over", "lazy", "dog"]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,!?"


def read_json(path: Path) -> dict | list | None:
    """Returns the content of a JSON file; None if there is no file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def write_json(path: Path, content: dict | list) -> None:
    """Writes JSON into a file, and makes its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def special_tokens(directory: Path) -> dict[str, int]:
    """Returns the ids of the tokens that the tokenizer's files name."""
    ids = {}
    config = read_json(directory / "tokenizer_config.json") or {}
    for key, token in (config.get("added_tokens_decoder") or {}).items():
        ids[token["content"]] = int(key)
    for token, key in (read_json(directory / "added_tokens.json") or {}).items():
        ids[token] = key
    return ids


def vocabulary_with(fixed: dict[str, int], tokens: list[str], first: int = 0) -> dict[str, int]:
    """Returns the fixed ids, and gives every other token a free id from `first` on."""
    vocabulary = dict(fixed)
    used, free = set(fixed.values()), first
    for token in tokens:
        if token in vocabulary:
            continue
        while free in used:
            free += 1
        vocabulary[token] = free
        used.add(free)
    return vocabulary


def byte_alphabet() -> list[str]:
    """Returns the characters with which byte-level BPE writes the 256 bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(byte) for byte in plain] + [chr(256 + i) for i in range(256 - len(plain))]


def unigram_list(fixed: dict[str, int], tokens: list[str]) -> list[list]:
    """Returns a Unigram vocabulary, [token, score] for each id up to the largest one. An id without a token gets a
    filler."""
    vocabulary = vocabulary_with(fixed, tokens)
    by_id = {key: token for token, key in vocabulary.items()}
    return [[by_id.get(i, f"filler{i}"), 0.0 if i < 5 else -2.0 - len(by_id.get(i, "")) ** 0.5]
            for i in range(max(by_id) + 1)]


def write_tokenizer(directory: Path, model_type: str, head: dict | None) -> None:
    """Writes tokenizer.json if its head is given, and otherwise the files that the class has."""
    config = read_json(directory / "tokenizer_config.json") or {}
    kind = str(config.get("tokenizer_class") or "").removesuffix("Fast").removesuffix("Tokenizer").lower()
    kind = kind if kind not in ("", "pretrained") else model_type.replace("-", "")
    fixed = special_tokens(directory)
    pieces = [*WORDS, *LETTERS, *("##" + letter for letter in LETTERS)]
    sentence_pieces = ["▁" + word for word in WORDS] + ["▁", *LETTERS]
    if kind == "bert" and config.get("unk_token") == "<unk>":
        kind = "xlmroberta"  # the class is BERT's, but the tokenizer is XLM-RoBERTa's
    if head is not None and "model" not in head:
        write_json(directory / "tokenizer.json", head)  # a file of this name that is no tokenizer
    elif head is not None:
        fixed = {token["content"]: token["id"] for token in head["added_tokens"]}
        model = head["model"]
        if model["type"] == "WordPiece":
            model["vocab"] = vocabulary_with(fixed, pieces)
        elif model["type"] == "BPE":
            model["vocab"], model["merges"] = vocabulary_with(fixed, byte_alphabet()), []
        elif model["type"] == "Unigram":
            model["vocab"] = unigram_list(fixed, sentence_pieces)
        text = json.dumps(head, ensure_ascii=False)
        write_json(directory / "tokenizer.json", without_elided(json.loads(text)))
    elif kind in ("xlmroberta", "camembert"):
        usual = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
        if kind == "camembert":
            usual = {"<s>NOTUSED": 0, "<pad>": 1, "</s>NOTUSED": 2, "<unk>": 3, "<s>": 5, "</s>": 6}
        write_json(directory / "tokenizer.json", unigram_tokenizer(usual | fixed, sentence_pieces))
    elif kind == "gemma3_text":
        write_json(directory / "tokenizer.json", gemma_tokenizer(fixed, sentence_pieces))
    elif kind == "debertav2":
        # added_tokens.json adds "[MASK]" after the pieces.
        pieces = [("[PAD]", 0.0, 3), ("[CLS]", 0.0, 3), ("[SEP]", 0.0, 3), ("[UNK]", 0.0, 2)]
        pieces += [(token, score, 1) for token, score in unigram_list({}, sentence_pieces)]
        (directory / "spm.model").write_bytes(sentencepiece_bytes(pieces))
    elif kind == "roberta":
        usual = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 50264}
        write_json(directory / "vocab.json", vocabulary_with(usual | fixed, byte_alphabet()))
        (directory / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")
    else:
        usual = vocabulary_with(fixed, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]) if not fixed else fixed
        by_id = {key: token for token, key in vocabulary_with(usual, pieces).items()}
        lines = [by_id.get(i, f"[unused{i}]") for i in range(max(by_id) + 1)]
        (directory / "vocab.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def varint(value: int) -> bytes:
    """Returns a number as groups of seven bits, one in each byte, the lowest first."""
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def sentencepiece_bytes(pieces: list[tuple[str, float, int]], is_bpe: bool = False) -> bytes:
    """Returns a SentencePiece file of a Unigram or BPE model. pieces: text, score and type of each piece."""
    message = b""
    for text, score, kind in pieces:
        data = text.encode()
        piece = b"\x0a" + varint(len(data)) + data + b"\x15" + struct.pack("<f", score) + b"\x18" + varint(kind)
        message += b"\x0a" + varint(len(piece)) + piece
    unknown = next(number for number, (_, _, kind) in enumerate(pieces) if kind == 2)
    trainer = b"\x18" + varint(2 if is_bpe else 1) + b"\xc0\x02" + varint(unknown)  # model_type; field 40 is unk_id
    return message + b"\x12" + varint(len(trainer)) + trainer


def without_elided(value: object) -> object:
    """Returns a copy of the value in which NFKC replaces each Precompiled normalizer, because the head lacks its table.
    """
    if isinstance(value, dict):
        if value.get("type") == "Precompiled":
            return {"type": "NFKC"}
        return {key: without_elided(member) for key, member in value.items()}
    return [without_elided(member) for member in value] if isinstance(value, list) else value


def template(before: list[str], after: list[str], ids: dict[str, int]) -> dict:
    """Returns a TemplateProcessing that puts these tokens around a text, and around each text of a pair."""
    def around(name: str) -> list[dict]:
        return [*({"SpecialToken": {"id": token, "type_id": 0}} for token in before),
                {"Sequence": {"id": name, "type_id": 0}},
                *({"SpecialToken": {"id": token, "type_id": 0}} for token in after)]
    return {"type": "TemplateProcessing", "single": around("A"), "pair": around("A") + around("B"), "special_tokens": {
        token: {"id": token, "ids": [ids[token]], "tokens": [token]} for token in before + after}}


def gemma_tokenizer(fixed: dict[str, int], tokens: list[str]) -> dict:
    """Returns a tokenizer.json as the Gemma class writes it."""
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]
    ids = {token: key for key, token in enumerate(special)}
    vocabulary = vocabulary_with(ids, [*(f"<0x{byte:02X}>" for byte in range(256)), *tokens])
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": key, "content": token, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for token, key in (ids | fixed).items()],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious",
                          "invert": False},
        "post_processor": template(["<bos>"], ["<eos>"], ids),
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
            {"type": "Fuse"}]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
                  "vocab": vocabulary, "merges": []},
    }


def unigram_tokenizer(fixed: dict[str, int], tokens: list[str]) -> dict:
    """Returns a tokenizer.json as the XLM-RoBERTa class writes it."""
    special = [token for token in ("<s>", "<pad>", "</s>", "<unk>", "<mask>") if token in fixed]
    text = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "</s>", "type_id": 0}}]
    pair = [*text, {"SpecialToken": {"id": "</s>", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}},
            {"SpecialToken": {"id": "</s>", "type_id": 0}}]
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": fixed[token], "content": token, "single_word": False, "lstrip": token == "<mask>",
                          "rstrip": False, "normalized": False, "special": True} for token in special],
        "normalizer": {"type": "NFKC"},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "post_processor": {"type": "TemplateProcessing", "single": text, "pair": pair, "special_tokens": {
            token: {"id": token, "ids": [fixed[token]], "tokens": [token]} for token in ("<s>", "</s>")}},
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": fixed["<unk>"], "vocab": unigram_list(fixed, tokens)},
    }
