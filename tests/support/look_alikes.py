"""Directories that look like a model of the hub: its configuration files as they are published, sizes cut to a few
numbers, random weights under the names of its class, and a tokenizer of its kind with a few tokens. Standard library
only."""

import json
import random
import shutil
import struct
from pathlib import Path

HIDDEN, HEADS, LAYERS, INTERMEDIATE = 8, 2, 2, 12
WORDS = ["the", "fox", "quick", "brown", "jumps", "over", "lazy", "dog"]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,!?"
SIZES = {
    "hidden_size": HIDDEN, "dim": HIDDEN, "num_attention_heads": HEADS, "n_heads": HEADS, "num_hidden_layers": LAYERS,
    "n_layers": LAYERS, "intermediate_size": INTERMEDIATE, "hidden_dim": INTERMEDIATE, "embedding_size": HIDDEN,
    "pooler_hidden_size": HIDDEN,
    "n_embd": HIDDEN, "n_head": HEADS, "n_layer": LAYERS, "n_inner": INTERMEDIATE,
}
DEFAULT_VOCABULARY = {"bert": 30522, "distilbert": 30522, "roberta": 50265, "camembert": 32005, "xlm-roberta": 250002}


def read_json(path: Path) -> dict | list | None:
    """A file's content; None where there is no file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def write_json(path: Path, content: dict | list) -> None:
    """Writes it, the folder too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def write_safetensors(path: Path, shapes: dict[str, list[int]], seed: int) -> None:
    """F32 tensors of random numbers; those whose name ends in "norm.weight" are about 1."""
    draw = random.Random(seed)
    block = [draw.gauss(0, 0.3) for _ in range(4093)]
    header, data, begin = {}, [], 0
    for name, shape in shapes.items():
        count = 1
        for size in shape:
            count *= size
        offset = 1.0 if name.lower().endswith("norm.weight") else 0.0
        values = struct.pack(f"<{len(block)}f", *(offset + value for value in block))
        shift = draw.randrange(len(block)) * 4
        repeated = values[shift:] + values * (count // len(block) + 1)
        data.append(repeated[: count * 4])
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, begin + count * 4]}
        begin += count * 4
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))


def model_type_of(config: dict) -> str:
    """As config.json says, else by its class; "" where neither does."""
    if config.get("model_type"):
        return config["model_type"]
    return "bert" if str((config.get("architectures") or [""])[0]).startswith("Bert") else ""


def dense(name: str, out: int, width: int) -> dict[str, list[int]]:
    """A dense layer's tensors."""
    return {name + ".weight": [out, width], name + ".bias": [out]}


def norm(name: str) -> dict[str, list[int]]:
    """A LayerNorm's tensors."""
    return {name + ".weight": [HIDDEN], name + ".bias": [HIDDEN]}


def bert_encoder(config: dict, query: str = "self.", output: str = "output.") -> dict[str, list[int]]:
    """The tensors of BERT, RoBERTa and MPNet, which differ in the names of attention."""
    vocabulary, positions = config["vocab_size"], config.get("max_position_embeddings", 512)
    tensors = {"embeddings.word_embeddings.weight": [vocabulary, HIDDEN],
               "embeddings.position_embeddings.weight": [positions, HIDDEN], **norm("embeddings.LayerNorm")}
    if query == "self.":
        tensors["embeddings.token_type_embeddings.weight"] = [config.get("type_vocab_size", 2), HIDDEN]
        parts = [query + "query", query + "key", query + "value", output + "dense"]
    else:
        tensors["encoder.relative_attention_bias.weight"] = [config.get("relative_attention_num_buckets", 32), HEADS]
        parts = ["attn.q", "attn.k", "attn.v", "attn.o"]
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        for part in parts:
            tensors |= dense(prefix + "attention." + part, HIDDEN, HIDDEN)
        tensors |= norm(prefix + "attention." + ("output." if query == "self." else "") + "LayerNorm")
        if config.get("position_embedding_type") == "alibi":  # JinaBERT
            tensors |= weights({prefix + "mlp.gated_layers": (2 * INTERMEDIATE, HIDDEN)})
            tensors |= dense(prefix + "mlp.wo", HIDDEN, INTERMEDIATE) | norm(prefix + "mlp.layernorm")
            tensors.pop("embeddings.position_embeddings.weight", None)
        else:
            tensors |= dense(prefix + "intermediate.dense", INTERMEDIATE, HIDDEN)
            tensors |= dense(prefix + "output.dense", HIDDEN, INTERMEDIATE) | norm(prefix + "output.LayerNorm")
    return tensors


def distilbert_encoder(config: dict) -> dict[str, list[int]]:
    """The tensors of DistilBERT."""
    tensors = {"embeddings.word_embeddings.weight": [config["vocab_size"], HIDDEN],
               "embeddings.position_embeddings.weight": [config.get("max_position_embeddings", 512), HIDDEN],
               **norm("embeddings.LayerNorm")}
    for layer in range(LAYERS):
        prefix = f"transformer.layer.{layer}."
        for part in ("q", "k", "v", "out"):
            tensors |= dense(f"{prefix}attention.{part}_lin", HIDDEN, HIDDEN)
        tensors |= norm(prefix + "sa_layer_norm") | norm(prefix + "output_layer_norm")
        tensors |= dense(prefix + "ffn.lin1", INTERMEDIATE, HIDDEN) | dense(prefix + "ffn.lin2", HIDDEN, INTERMEDIATE)
    return tensors


def deberta_tensors(config: dict) -> dict[str, list[int]]:
    """All tensors of a class of DeBERTa-v3 with shared projections."""
    tensors = {"embeddings.word_embeddings.weight": [config["vocab_size"], HIDDEN], **norm("embeddings.LayerNorm"),
               "encoder.rel_embeddings.weight": [2 * config["position_buckets"], HIDDEN], **norm("encoder.LayerNorm")}
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        for part in ("self.query_proj", "self.key_proj", "self.value_proj", "output.dense"):
            tensors |= dense(prefix + "attention." + part, HIDDEN, HIDDEN)
        tensors |= norm(prefix + "attention.output.LayerNorm") | norm(prefix + "output.LayerNorm")
        tensors |= dense(prefix + "intermediate.dense", INTERMEDIATE, HIDDEN)
        tensors |= dense(prefix + "output.dense", HIDDEN, INTERMEDIATE)
    tensors = {"deberta." + name: shape for name, shape in tensors.items()}
    if config["architectures"][0].endswith("ForSequenceClassification"):
        return tensors | dense("pooler.dense", HIDDEN, HIDDEN) | dense("classifier", labels_of(config), HIDDEN)
    return tensors | dense("qa_outputs", 2, HIDDEN)
def weights(shapes: dict[str, tuple[int, int]], bias: bool = False) -> dict[str, list[int]]:
    """Matrices, all with a bias or none."""
    tensors = {}
    for name, (out, width) in shapes.items():
        tensors |= dense(name, out, width) if bias else {name + ".weight": [out, width]}
    return tensors


def modernbert_encoder(config: dict) -> dict[str, list[int]]:
    """The tensors of ModernBERT without biases."""
    tensors = weights({"embeddings.tok_embeddings": (config["vocab_size"], HIDDEN)})
    norms = ["embeddings.norm", "final_norm"]
    for layer in range(LAYERS):
        prefix = f"layers.{layer}."
        norms += [prefix + "mlp_norm"] + ([prefix + "attn_norm"] if layer else [])
        tensors |= weights({prefix + "attn.Wqkv": (3 * HIDDEN, HIDDEN), prefix + "attn.Wo": (HIDDEN, HIDDEN),
                            prefix + "mlp.Wi": (2 * INTERMEDIATE, HIDDEN), prefix + "mlp.Wo": (HIDDEN, INTERMEDIATE)})
    return tensors | {name + ".weight": [HIDDEN] for name in norms}


def nomic_encoder(config: dict) -> dict[str, list[int]]:
    """The tensors of NomicBERT by their older names."""
    tensors = weights({"embeddings.word_embeddings": (config["vocab_size"], HIDDEN),
                       "embeddings.token_type_embeddings": (config["type_vocab_size"], HIDDEN)}) | norm("emb_ln")
    for layer in range(LAYERS):
        prefix = f"encoder.layers.{layer}."
        tensors |= norm(prefix + "norm1") | norm(prefix + "norm2")
        tensors |= weights({prefix + "attn.Wqkv": (3 * HIDDEN, HIDDEN), prefix + "attn.out_proj": (HIDDEN, HIDDEN),
                            prefix + "mlp.fc11": (INTERMEDIATE, HIDDEN), prefix + "mlp.fc12": (INTERMEDIATE, HIDDEN),
                            prefix + "mlp.fc2": (HIDDEN, INTERMEDIATE)})
    return tensors


def gte_encoder(config: dict) -> dict[str, list[int]]:
    """The tensors of GTE by their older names."""
    tensors = weights({"embeddings.word_embeddings": (config["vocab_size"], HIDDEN),
                       "embeddings.token_type_embeddings": (config["type_vocab_size"], HIDDEN)})
    tensors |= norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        tensors |= norm(prefix + "attn_ln") | norm(prefix + "mlp_ln")
        tensors |= weights({prefix + "attention.qkv_proj": (3 * HIDDEN, HIDDEN),
                            prefix + "attention.o_proj": (HIDDEN, HIDDEN),
                            prefix + "mlp.down_proj": (HIDDEN, INTERMEDIATE)}, bias=True)
        tensors |= weights({prefix + "mlp.up_gate_proj": (2 * INTERMEDIATE, HIDDEN)})
    return tensors


MODERN = {"modernbert": ("model.", modernbert_encoder), "nomic_bert": ("bert.", nomic_encoder),
          "new": ("new.", gte_encoder)}


def modern_tensors(config: dict, model_type: str) -> dict[str, list[int]]:
    """The encoder's, and those of a classifier of ModernBERT's."""
    prefix, encoder = MODERN[model_type]
    architecture = (config.get("architectures") or ["Model"])[0]
    tensors = {prefix + name: shape for name, shape in encoder(config).items()}
    if architecture == "ModernBertForSequenceClassification":
        tensors |= weights({"head.dense": (HIDDEN, HIDDEN)}) | {"head.norm.weight": [HIDDEN]}
        tensors |= dense("classifier", labels_of(config), HIDDEN)
    return tensors


def labels_of(config: dict) -> int:
    """Of a classification head."""
    return len(config.get("id2label") or {}) or config.get("num_labels", 2)


def head_tensors(kind: str, architecture: str, config: dict) -> dict[str, list[int]]:
    """The tensors of the class's head."""
    labels = labels_of(config)
    vocabulary = config["vocab_size"]
    if architecture.endswith("ForSequenceClassification"):
        if kind == "bert":
            return dense("classifier", labels, HIDDEN)
        if kind == "distilbert":
            return dense("pre_classifier", HIDDEN, HIDDEN) | dense("classifier", labels, HIDDEN)
        return dense("classifier.dense", HIDDEN, HIDDEN) | dense("classifier.out_proj", labels, HIDDEN)
    if architecture.endswith("ForTokenClassification"):
        return dense("classifier", labels, HIDDEN)
    if architecture.endswith("ForQuestionAnswering"):
        return dense("qa_outputs", 2, HIDDEN)
    if architecture.endswith("ForMaskedLM"):
        if kind == "bert":
            return (dense("cls.predictions.transform.dense", HIDDEN, HIDDEN) | {"cls.predictions.bias": [vocabulary]}
                    | norm("cls.predictions.transform.LayerNorm"))
        return dense("lm_head.dense", HIDDEN, HIDDEN) | norm("lm_head.layer_norm") | {"lm_head.bias": [vocabulary]}
    return {}


def model_tensors(config: dict, model_type: str) -> dict[str, list[int]]:
    """All tensors of the configuration's class; BERT's for a class that is not known here."""
    if model_type == "deberta-v2":
        return deberta_tensors(config)
    if model_type in MODERN:
        return modern_tensors(config, model_type)
    architecture = (config.get("architectures") or ["Model"])[0]
    if model_type == "distilbert":
        kind, encoder = "distilbert", distilbert_encoder(config)
    elif model_type == "mpnet":
        kind, encoder = "mpnet", bert_encoder(config, query="")
    else:
        kind = "roberta" if model_type in ("roberta", "xlm-roberta", "camembert") else "bert"
        encoder = bert_encoder(config)
    heads = head_tensors(kind, architecture, config)
    # Of the heads only BERT's classifiers of a whole text read a pooler, and bare encoders bring one.
    if kind != "distilbert" and (not heads or (kind == "bert" and architecture.endswith("SequenceClassification"))):
        encoder |= dense("pooler.dense", HIDDEN, HIDDEN)
    # Files from before configurations had `architectures` are of a class with a head.
    prefix = kind + "." if heads or not config.get("architectures") else ""
    return {prefix + name: shape for name, shape in encoder.items()} | heads


def special_tokens(directory: Path) -> dict[str, int]:
    """Ids of the tokens that the tokenizer's files name."""
    ids = {}
    config = read_json(directory / "tokenizer_config.json") or {}
    for key, token in (config.get("added_tokens_decoder") or {}).items():
        ids[token["content"]] = int(key)
    for token, key in (read_json(directory / "added_tokens.json") or {}).items():
        ids[token] = key
    return ids


def vocabulary_with(fixed: dict[str, int], tokens: list[str], first: int = 0) -> dict[str, int]:
    """Gives the tokens the free ids from `first`."""
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
    """The characters that byte-level BPE writes bytes with."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(byte) for byte in plain] + [chr(256 + i) for i in range(256 - len(plain))]


def unigram_list(fixed: dict[str, int], tokens: list[str]) -> list[list]:
    """Every id up to the last of `fixed` has a token."""
    vocabulary = vocabulary_with(fixed, tokens)
    by_id = {key: token for token, key in vocabulary.items()}
    return [[by_id.get(i, f"filler{i}"), 0.0 if i < 5 else -2.0 - len(by_id.get(i, "")) ** 0.5]
            for i in range(max(by_id) + 1)]


def write_tokenizer(directory: Path, model_type: str, head: dict | None) -> None:
    """tokenizer.json from its head where there is one, else files of the class's kind."""
    config = read_json(directory / "tokenizer_config.json") or {}
    kind = str(config.get("tokenizer_class") or "").removesuffix("Fast").removesuffix("Tokenizer").lower()
    kind = kind if kind not in ("", "pretrained") else model_type.replace("-", "")
    fixed = special_tokens(directory)
    pieces = [*WORDS, *LETTERS, *("##" + letter for letter in LETTERS)]
    sentence_pieces = ["▁" + word for word in WORDS] + ["▁", *LETTERS]
    if kind == "bert" and config.get("unk_token") == "<unk>":
        kind = "xlmroberta"  # a class of one family over the tokenizer of another
    if head is not None and "model" not in head:
        write_json(directory / "tokenizer.json", head)  # published under this name, and something else
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
    elif kind == "debertav2":
        # "[MASK]" is added after the pieces: added_tokens.json.
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
    """Seven bits a byte, the lowest first."""
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def sentencepiece_bytes(pieces: list[tuple[str, float, int]]) -> bytes:
    """A Unigram model of texts, scores and types."""
    message = b""
    for text, score, kind in pieces:
        data = text.encode()
        piece = b"\x0a" + varint(len(data)) + data + b"\x15" + struct.pack("<f", score) + b"\x18" + varint(kind)
        message += b"\x0a" + varint(len(piece)) + piece
    unknown = next(number for number, (_, _, kind) in enumerate(pieces) if kind == 2)
    trainer = b"\x18\x01" + b"\xc0\x02" + varint(unknown)  # model_type Unigram; unk_id, field 40
    return message + b"\x12" + varint(len(trainer)) + trainer


def without_elided(value: object) -> object:
    """The head without the normalizer whose tables were left out of it."""
    if isinstance(value, dict):
        if value.get("type") == "Precompiled":
            return {"type": "NFKC"}
        return {key: without_elided(member) for key, member in value.items()}
    return [without_elided(member) for member in value] if isinstance(value, list) else value


def unigram_tokenizer(fixed: dict[str, int], tokens: list[str]) -> dict:
    """A tokenizer.json as the XLM-RoBERTa class writes it."""
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


def shrink_modules(directory: Path) -> None:
    """Widths of the modules after the encoder, and their weights."""
    width = HIDDEN
    for number, module in enumerate(read_json(directory / "modules.json") or []):
        kind = module["type"].rsplit(".", 1)[-1]
        path = directory / module["path"] / "config.json"
        config = read_json(path)
        if kind == "Pooling":
            # Some sets lack the file; the reference then fails, and a mean is what they are published with.
            config = config or {"word_embedding_dimension": width, "pooling_mode_mean_tokens": True}
            for key in ("word_embedding_dimension", "embedding_dimension"):
                if key in config:
                    config[key] = width
            write_json(path, config)
        elif kind == "Dense":
            config = config or {"in_features": 0, "out_features": 0, "bias": True,
                                "activation_function": "torch.nn.modules.activation.Tanh"}
            config |= {"in_features": width, "out_features": 10}
            write_json(path, config)
            shapes = {"linear.weight": [10, width]} | ({"linear.bias": [10]} if config.get("bias", True) else {})
            write_safetensors(path.with_name("model.safetensors"), shapes, number)
            width = 10


def make_look_alike(published: Path, directory: Path) -> bool:
    """`published` has a model's files, `directory` is made. False where no configuration is among them."""
    shutil.copytree(published, directory, ignore=shutil.ignore_patterns("tokenizer.head.json"))
    modules = read_json(directory / "modules.json") or []
    folder = directory / (modules[0]["path"] if modules else "")
    config = read_json(folder / "config.json")
    if not config:
        return False
    model_type = model_type_of(config) or ("roberta" if "roberta" in published.name else "")
    config.setdefault("vocab_size", DEFAULT_VOCABULARY.get(model_type, 30522))
    config |= {key: size for key, size in SIZES.items() if key in config}
    if "layer_types" in config:
        config["layer_types"] = config["layer_types"][:LAYERS]
    head = read_json(published / "tokenizer.head.json")
    write_json(folder / "config.json", config)
    write_tokenizer(folder, model_type, head)
    config["vocab_size"] = max(config["vocab_size"], largest_id(folder) + 1)
    write_json(folder / "config.json", config)
    is_static = "hidden_size" not in config and not config.get("architectures")
    tensors = {"embeddings": [config["vocab_size"], HIDDEN]} if is_static else model_tensors(config, model_type)
    write_safetensors(folder / "model.safetensors", tensors, seed=1)
    shrink_modules(directory)
    return True


def largest_id(directory: Path) -> int:
    """Of the tokens, so that every id has a row."""
    ids = [0, *special_tokens(directory).values(), *(read_json(directory / "vocab.json") or {}).values()]
    if (directory / "vocab.txt").exists():
        ids.append((directory / "vocab.txt").read_text(encoding="utf-8").count("\n") - 1)
    for token in (read_json(directory / "tokenizer.json") or {}).get("added_tokens", []):
        ids.append(token["id"])
    return max(ids)
