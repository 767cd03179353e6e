"""Makes random, realistic tokenizer directories, and texts for them. A directory has a vocabulary of its class's kind,
in tokenizer.json or in the class's own files, and changed configurations beside it. Needs only the standard library."""

import json
import pathlib
import random
from typing import NamedTuple

from reference import random_tokenizers
from support.look_alike_tokenizers import byte_alphabet, sentencepiece_bytes
from reference.random_tokenizers import numbered, write_json

BERT = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"}
ROBERTA = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "cls_token": "<s>",
           "sep_token": "</s>", "mask_token": "<mask>"}
MPNET = {**ROBERTA, "unk_token": "[UNK]"}
ALBERT = {"pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "[CLS]", "sep_token": "[SEP]",
          "mask_token": "[MASK]"}
OWN = ["<a>", "[B]", "<é>", "hello", "中", "Ab "]  # tokens added by a user


class Kind(NamedTuple):
    """A tokenizer class, with the special tokens by their keys."""
    name: str | None
    model_type: str
    model: str
    special: dict[str, str]
    file: str = ""  # the name of the SentencePiece file


KINDS = [
    Kind("BertTokenizer", "bert", "WordPiece", BERT), Kind("DistilBertTokenizer", "distilbert", "WordPiece", BERT),
    Kind("ElectraTokenizer", "electra", "WordPiece", BERT), Kind(None, "nomic_bert", "WordPiece", BERT),
    Kind("MPNetTokenizer", "mpnet", "WordPiece", MPNET),
    Kind("RobertaTokenizer", "roberta", "BPE", ROBERTA), Kind(None, "modernbert", "BPE", BERT),
    Kind("XLMRobertaTokenizer", "xlm-roberta", "Unigram", ROBERTA, "sentencepiece.bpe.model"),
    Kind(None, "gte", "Unigram", ROBERTA, "sentencepiece.bpe.model"),
    Kind("XLMRobertaTokenizer", "jina_embeddings_v3", "Unigram", ROBERTA, "sentencepiece.bpe.model"),
    Kind("CamembertTokenizer", "camembert", "Unigram", ROBERTA, "sentencepiece.bpe.model"),
    Kind("AlbertTokenizer", "albert", "Unigram", ALBERT, "spiece.model"),
    Kind("DebertaV2Tokenizer", "deberta-v2", "Unigram", BERT, "spm.model"), Kind(None, "eurobert", "WordLevel", BERT)]
SWITCHES = ["do_lower_case", "strip_accents", "tokenize_chinese_chars", "add_prefix_space", "trim_offsets",
            "keep_accents", "split_by_punct", "do_basic_tokenize", "clean_up_tokenization_spaces"]


def often(draw: random.Random, probability: float) -> bool:
    """Returns True with this probability."""
    return draw.random() < probability


def text(draw: random.Random, kind: Kind) -> str:
    """Returns a text of odd characters, some of the special tokens, and some of the tokens that the files add."""
    parts = [random_tokenizers.text(draw)]
    while often(draw, 0.4):
        parts += [draw.choice([*kind.special.values(), *OWN, " ", "▁"]), random_tokenizers.text(draw)]
    return draw.choice(["", " "]).join(parts)


def special_of(kind: Kind) -> list[str]:
    """Returns the special tokens in the usual order of their ids."""
    return list(dict.fromkeys(kind.special.values()))


def random_token(draw: random.Random, content: str, special: bool) -> dict:
    """Returns an added token with random flags."""
    token = random_tokenizers.added_token(draw, 0, content, special)
    del token["id"]
    return token


def byte_level(draw: random.Random, first: list[str]) -> dict:
    """Returns a byte-level BPE with every byte."""
    tokens, merges = [*first, *byte_alphabet()], []
    for _ in range(60):
        pair = [draw.choice(tokens[len(first):]), draw.choice(tokens[len(first):])]
        if pair not in merges and sum(map(len, pair)) < 7:
            merges.append(pair)
            tokens.append("".join(pair))
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
            "end_of_word_suffix": "", "fuse_unk": False, "vocab": numbered(tokens), "merges": merges}


def pieces(draw: random.Random) -> list[str]:
    """Returns pieces as in SentencePiece, where a mark stands for the space before a word."""
    return list(dict.fromkeys(draw.choice(["", "▁"]) + piece for piece in random_tokenizers.pieces(draw, 80)))


def processing(draw: random.Random, special: dict[str, str], ids: dict[str, int]) -> dict | None:
    """Returns the post-processor that the kind's class writes."""
    cls, sep = special["cls_token"], special["sep_token"]
    names = {"sep": [sep, ids[sep]], "cls": [cls, ids[cls]]}
    part = {"cls": {"SpecialToken": {"id": cls, "type_id": 0}}, "sep": {"SpecialToken": {"id": sep, "type_id": 0}},
            "a": {"Sequence": {"id": "A", "type_id": 0}}, "b": {"Sequence": {"id": "B", "type_id": 1}}}
    pair = draw.choice([["cls", "a", "sep", "b", "sep"], ["cls", "a", "sep", "sep", "b", "sep"]])
    template = {"type": "TemplateProcessing", "single": [part["cls"], part["a"], part["sep"]],
                "pair": [part[name] for name in pair],
                "special_tokens": {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in (cls, sep)}}
    roberta = {"type": "RobertaProcessing", **names, "trim_offsets": often(draw, 0.5),
               "add_prefix_space": often(draw, 0.5)}
    return draw.choice([template, template, {"type": "BertProcessing", **names}, roberta])


def tokenizer_json(draw: random.Random, kind: Kind) -> dict:
    """Returns tokenizer.json as the kind's class writes it, sometimes with other parts."""
    special = special_of(kind)
    if kind.model == "BPE":
        model = byte_level(draw, special)
    elif kind.model == "Unigram":
        model = random_tokenizers.model(draw, "Unigram", special)
        model["vocab"] = [[token, 0.0] for token in special] + [[piece, -draw.randrange(10, 90) / 7]
                                                                for piece in pieces(draw) if piece not in special]
        model["unk_id"] = special.index(kind.special["unk_token"])
    else:
        model = random_tokenizers.model(draw, kind.model, special) | {"unk_token": kind.special["unk_token"]}
    ids = model["vocab"] if isinstance(model["vocab"], dict) else numbered(token for token, _ in model["vocab"])
    added = [{"id": ids[token], **random_token(draw, token, True)} for token in special]
    for index, token in enumerate(draw.sample(OWN, draw.choice([0, 0, 1, 2]))):
        added.append({"id": len(ids) + index, **random_token(draw, token, often(draw, 0.4))})
    mark = random_tokenizers.metaspace(draw)
    normalizer = {"WordPiece": {"type": "BertNormalizer", "clean_text": often(draw, 0.9),
                                "handle_chinese_chars": often(draw, 0.8), "strip_accents": draw.choice([None, True]),
                                "lowercase": often(draw, 0.5)},
                  "Unigram": {"type": "NFKC"}}.get(kind.model)
    splitter = {"WordPiece": {"type": "BertPreTokenizer"}, "WordLevel": {"type": "Whitespace"},
                "BPE": {"type": "ByteLevel", "add_prefix_space": often(draw, 0.3), "trim_offsets": True,
                        "use_regex": True},
                "Unigram": draw.choice([mark, {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
                                                                                     mark]}])}[kind.model]
    decoder = {"WordPiece": {"type": "WordPiece", "prefix": "##", "cleanup": often(draw, 0.7)},
               "BPE": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
               "Unigram": mark}.get(kind.model)
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
            "normalizer": random_tokenizers.normalizer(draw) if often(draw, 0.2) else normalizer,
            "pre_tokenizer": random_tokenizers.pre_tokenizer(draw) if often(draw, 0.1) else splitter,
            "post_processor": processing(draw, kind.special, ids), "decoder": decoder, "model": model}


def write_vocabulary(directory: pathlib.Path, draw: random.Random, kind: Kind) -> None:
    """Writes the files that the kind's class reads if there is no tokenizer.json."""
    special = special_of(kind)
    if kind.model == "WordPiece":
        if often(draw, 0.1):
            special.remove(draw.choice([token for token in special if token != kind.special["unk_token"]]))
        words = [word.strip() for word in random_tokenizers.pieces(draw, 60)]
        tokens = special + words + ["##" + word for word in random_tokenizers.pieces(draw, 40)]
        tokens = [token for token in tokens if len(token.splitlines()) == 1]
        if often(draw, 0.3):
            draw.shuffle(tokens)
        end = draw.choice(["\n", "\n", "\n", "\r\n"])
        content = end.join(tokens if often(draw, 0.2) else dict.fromkeys(tokens)) + draw.choice([end, ""])
        (directory / "vocab.txt").write_bytes(content.encode())
    elif kind.model == "BPE":
        model = byte_level(draw, special)
        write_json(directory / "vocab.json", model["vocab"])
        lines = ["#version: 0.2"] * often(draw, 0.8) + [" ".join(merge) for merge in model["merges"]]
        (directory / "merges.txt").write_text("\n".join(lines) + draw.choice(["\n", ""]), encoding="utf-8")
    else:
        controls = {"albert": special, "deberta-v2": ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]}.get(
            kind.model_type, ["<unk>", "<s>", "</s>"])
        listed = [(token, 0.0, 2 if token == kind.special["unk_token"] else 3) for token in controls]
        listed += [(piece, -draw.randrange(10, 90) / 7, 4 if often(draw, 0.02) else 1)
                   for piece in pieces(draw) if piece not in controls]
        (directory / kind.file).write_bytes(sentencepiece_bytes(listed, is_bpe=often(draw, 0.03)))


def configuration(draw: random.Random, kind: Kind, ids: dict[str, int], with_tokenizer_json: bool) -> dict:
    """Returns tokenizer_config.json with random switches, special tokens in several forms, and tokens of its own."""
    config = {"tokenizer_class": draw.choice([kind.name, kind.name, kind.name and kind.name + "Fast"])}
    if with_tokenizer_json and (kind.name is None or often(draw, 0.15)):
        config["tokenizer_class"] = draw.choice([None, "PreTrainedTokenizerFast", "TokenizersBackend"])
    if config["tokenizer_class"] is None:
        del config["tokenizer_class"]
    for key in SWITCHES:
        if often(draw, 0.2):
            config[key] = draw.choice([True, False])
    if often(draw, 0.05):
        config["split_special_tokens"] = draw.choice([True, False])
    for key in ("add_bos_token", "add_eos_token"):
        if often(draw, 0.05):
            config[key] = draw.choice([True, False, None])
    for key, token in kind.special.items():
        if often(draw, 0.5):
            config[key] = token
        elif often(draw, 0.15):
            config[key] = {"__type": "AddedToken", **random_token(draw, token, True)}
        elif often(draw, 0.04):
            config[key] = draw.choice([*special_of(kind), *OWN, None])
    add_own_tokens(draw, config)
    if often(draw, 0.05):
        config["image_token"] = draw.choice(OWN)
    if often(draw, 0.3):
        listed = {str(index): random_token(draw, token, token in kind.special.values())
                  for token, index in ids.items() if token in kind.special.values()}
        for index, token in enumerate(draw.sample(OWN, draw.choice([0, 1, 2]))):
            listed[str(ids.get(token, len(ids) + index))] = random_token(draw, token, often(draw, 0.4))
        config["added_tokens_decoder"] = listed
    return config


def add_own_tokens(draw: random.Random, config: dict) -> None:
    """Sometimes adds the keys that list further special tokens."""
    def some(objects: float) -> list:
        return [random_token(draw, token, True) if often(draw, objects) else token
                for token in draw.sample(OWN, draw.choice([0, 1, 2]))]

    if often(draw, 0.12):
        config["additional_special_tokens"] = some(0)
    if often(draw, 0.08):
        config["extra_special_tokens"] = some(0) if often(draw, 0.5) else {"one_token": draw.choice(OWN)}


def write_configurations(directory: pathlib.Path, draw: random.Random, kind: Kind, ids: dict[str, int],
                         with_tokenizer_json: bool) -> None:
    """Writes the small files. Each of them may be left out."""
    if often(draw, 0.9) or not with_tokenizer_json:
        write_json(directory / "config.json", {"model_type": kind.model_type})
    if often(draw, 0.92):
        write_json(directory / "tokenizer_config.json", configuration(draw, kind, ids, with_tokenizer_json))
    if often(draw, 0.3):
        listed = {key: random_token(draw, token, True) if often(draw, 0.3) else token
                  for key, token in kind.special.items()}
        add_own_tokens(draw, listed)
        write_json(directory / "special_tokens_map.json", listed)
    if often(draw, 0.15):
        write_json(directory / "added_tokens.json", {token: ids.get(token, len(ids) + index) for index, token in
                                                     enumerate(draw.sample([*OWN, kind.special["mask_token"]], 2))})


def write_directory(directory: pathlib.Path, draw: random.Random, with_tokenizer_json: bool) -> Kind:
    """Writes the directory of one case."""
    kind = draw.choice([kind for kind in KINDS if with_tokenizer_json or kind.name or kind.file])
    if with_tokenizer_json:
        content = tokenizer_json(draw, kind)
        write_json(directory / "tokenizer.json", content)
        vocabulary = content["model"]["vocab"]
        tokens = vocabulary if isinstance(vocabulary, dict) else [token for token, _ in vocabulary]
    else:
        write_vocabulary(directory, draw, kind)
        tokens = special_of(kind)
    write_configurations(directory, draw, kind, numbered(tokens), with_tokenizer_json)
    return kind
