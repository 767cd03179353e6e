"""Names the tensors of the classes that look-alikes have, with small shapes, and writes a safetensors file of random
numbers. Uses only the standard library."""

import json
import random
import struct
from pathlib import Path

HIDDEN, HEADS, LAYERS, INTERMEDIATE = 8, 2, 2, 12


def write_safetensors(path: Path, shapes: dict[str, list[int]], seed: int) -> None:
    """Writes F32 tensors of random numbers. Tensors whose name ends in "norm.weight" have numbers of about 1."""
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


def dense(name: str, out: int, width: int) -> dict[str, list[int]]:
    """Returns a dense layer's tensors."""
    return {name + ".weight": [out, width], name + ".bias": [out]}


def norm(name: str) -> dict[str, list[int]]:
    """Returns a LayerNorm's tensors."""
    return {name + ".weight": [HIDDEN], name + ".bias": [HIDDEN]}


def bert_encoder(config: dict, query: str = "self.", output: str = "output.") -> dict[str, list[int]]:
    """Returns the tensors of BERT, RoBERTa and MPNet, which name the parts of attention differently."""
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
    """Returns the tensors of DistilBERT."""
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
    """Returns all tensors of a class of DeBERTa-v3 with shared projections."""
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
    """Returns the tensors of these matrices, with or without biases."""
    tensors = {}
    for name, (out, width) in shapes.items():
        tensors |= dense(name, out, width) if bias else {name + ".weight": [out, width]}
    return tensors


def modernbert_encoder(config: dict) -> dict[str, list[int]]:
    """Returns the tensors of ModernBERT without biases."""
    tensors = weights({"embeddings.tok_embeddings": (config["vocab_size"], HIDDEN)})
    norms = ["embeddings.norm", "final_norm"]
    for layer in range(LAYERS):
        prefix = f"layers.{layer}."
        norms += [prefix + "mlp_norm"] + ([prefix + "attn_norm"] if layer else [])
        tensors |= weights({prefix + "attn.Wqkv": (3 * HIDDEN, HIDDEN), prefix + "attn.Wo": (HIDDEN, HIDDEN),
                            prefix + "mlp.Wi": (2 * INTERMEDIATE, HIDDEN), prefix + "mlp.Wo": (HIDDEN, INTERMEDIATE)})
    return tensors | {name + ".weight": [HIDDEN] for name in norms}


def nomic_encoder(config: dict) -> dict[str, list[int]]:
    """Returns the tensors of NomicBERT by their older names."""
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
    """Returns the tensors of GTE by their older names."""
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


def gemma_encoder(config: dict) -> dict[str, list[int]]:
    """Returns the tensors of Gemma 3."""
    tensors = weights({"embed_tokens": (config["vocab_size"], HIDDEN)}) | {"norm.weight": [HIDDEN]}
    size = config["head_dim"]
    queries, keys = HEADS * size, config["num_key_value_heads"] * size
    for layer in range(LAYERS):
        prefix = f"layers.{layer}."
        tensors |= weights({prefix + "self_attn.q_proj": (queries, HIDDEN), prefix + "self_attn.k_proj": (keys, HIDDEN),
                            prefix + "self_attn.v_proj": (keys, HIDDEN), prefix + "self_attn.o_proj": (HIDDEN, queries),
                            prefix + "mlp.gate_proj": (INTERMEDIATE, HIDDEN),
                            prefix + "mlp.up_proj": (INTERMEDIATE, HIDDEN),
                            prefix + "mlp.down_proj": (HIDDEN, INTERMEDIATE)})
        for name in ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                     "post_feedforward_layernorm"):
            tensors[prefix + name + ".weight"] = [HIDDEN]
        tensors |= {prefix + "self_attn.q_norm.weight": [size], prefix + "self_attn.k_norm.weight": [size]}
    return tensors


def t5_encoder(config: dict) -> dict[str, list[int]]:
    """Returns the tensors of T5's encoder with one dense layer and its activation. The heads' size does not depend on
    the hidden size."""
    width = HEADS * config["d_kv"]
    tensors = {"shared.weight": [config["vocab_size"], HIDDEN], "encoder.final_layer_norm.weight": [HIDDEN],
               "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight": [32, HEADS]}
    for layer in range(LAYERS):
        prefix = f"encoder.block.{layer}.layer."
        tensors |= {f"{prefix}0.SelfAttention.{part}.weight": [width, HIDDEN] for part in "qkv"}
        tensors |= {prefix + "0.SelfAttention.o.weight": [HIDDEN, width], prefix + "0.layer_norm.weight": [HIDDEN],
                    prefix + "1.layer_norm.weight": [HIDDEN],
                    prefix + "1.DenseReluDense.wi.weight": [INTERMEDIATE, HIDDEN],
                    prefix + "1.DenseReluDense.wo.weight": [HIDDEN, INTERMEDIATE]}
    return tensors


MODERN = {"modernbert": ("model.", modernbert_encoder), "nomic_bert": ("bert.", nomic_encoder),
          "new": ("new.", gte_encoder), "gemma3_text": ("", gemma_encoder), "t5": ("", t5_encoder)}


def modern_tensors(config: dict, model_type: str) -> dict[str, list[int]]:
    """Returns the encoder's tensors, and those of ModernBERT's classifier."""
    prefix, encoder = MODERN[model_type]
    architecture = (config.get("architectures") or ["Model"])[0]
    tensors = {prefix + name: shape for name, shape in encoder(config).items()}
    if architecture == "ModernBertForSequenceClassification":
        tensors |= weights({"head.dense": (HIDDEN, HIDDEN)}) | {"head.norm.weight": [HIDDEN]}
        tensors |= dense("classifier", labels_of(config), HIDDEN)
    return tensors


def labels_of(config: dict) -> int:
    """Returns the number of labels of a classification head."""
    return len(config.get("id2label") or {}) or config.get("num_labels", 2)


def head_tensors(kind: str, architecture: str, config: dict) -> dict[str, list[int]]:
    """Returns the tensors of the class's head."""
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
    """Returns all tensors of the configuration's class; those of BERT if the class is not known here."""
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
    # Only BERT's classifiers of a whole text read a pooler. The file of an encoder without a head has one too.
    if kind != "distilbert" and (not heads or (kind == "bert" and architecture.endswith("SequenceClassification"))):
        encoder |= dense("pooler.dense", HIDDEN, HIDDEN)
    # A configuration without `architectures` is from an older version, whose files have the names of a class with a
    # head.
    prefix = kind + "." if heads or not config.get("architectures") else ""
    return {prefix + name: shape for name, shape in encoder.items()} | heads
