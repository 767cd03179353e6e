#!/usr/bin/env python3
"""Compares small random models of every family with the reference library in float64.

errors  prints a table of docs/results/numerics.md: the largest errors of this library and of the reference in float32,
over random models, for hidden states and heads.
write   writes tests/models/families/reference_models.json: one model per family and its float64 results. The test
makes the weights again from the names of the tensors.

Needs:    numpy, torch, transformers; errors needs libbertinfer.so, --library
Example:  reference_models.py errors --library build/libbertinfer.so llama esm
"""

import argparse
import ctypes
import json
import random
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn
from transformers.modeling_outputs import MaskedLMOutput

FILE = Path(__file__).resolve().parents[1] / "models/families/reference_models.json"
MASK = 4
# The numbers of the heads BERT_HEAD_… in bert.h, by the endings of the reference's classes.
HEADS = {"ForMaskedLM": 0, "ForSequenceClassification": 1, "ForTokenClassification": 2, "ForQuestionAnswering": 3}


def rope(**more):
    return {"rope_type": "default", "rope_theta": 10000.0, **more}


def fixed(**fields):
    return lambda r: {**fields}


def deberta(r):
    return {"relative_attention": True, "pos_att_type": r.choice([["c2p"], ["p2c"], ["c2p", "p2c"]]),
            "position_biased_input": r.random() < 0.5, "type_vocab_size": r.choice([0, 2])}


def decoder(r):
    """Returns the settings of the key and value heads, and of the head size."""
    return {"num_key_value_heads": 1, "pad_token_id": 0, "head_dim": r.choice([6, 10])}


def capped(r):
    return {**decoder(r), "query_pre_attn_scalar": r.choice([4, 9]), "sliding_window": r.choice([3, 8]),
            "attn_logit_softcapping": r.choice([None, 0.5, 2.0])}


def bart(r):
    heads = r.choice([2, 3])
    return {"d_model": 12 * heads, "encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": heads,
            "decoder_attention_heads": heads, "encoder_ffn_dim": r.choice([40, 57]), "decoder_ffn_dim": 16,
            "scale_embedding": r.random() < 0.5, "activation_function": r.choice(["gelu", "relu"]), "pad_token_id": 1}


def t5(r):
    return {"d_model": r.choice([24, 32]), "d_kv": r.choice([6, 8]), "d_ff": r.choice([40, 57]), "num_layers": 2,
            "num_heads": r.choice([2, 3]), "feed_forward_proj": r.choice(["relu", "gated-gelu"]),
            "num_decoder_layers": 1, "pad_token_id": 0}


# The prefix of the reference's classes by model type, and the fields that differ from `usual` for a random model.
FAMILIES = {
    "albert": ("Albert", lambda r: {"embedding_size": r.choice([8, 20]), "num_hidden_groups": 1}),
    "bart": ("Bart", bart),
    "bert": ("Bert", fixed()),
    "big_bird": ("BigBird", lambda r: {"attention_type": "original_full", "rescale_embeddings": r.random() < 0.5,
                                       "use_bias": r.random() < 0.5, "pad_token_id": 0, "sep_token_id": 2}),
    "camembert": ("Camembert", fixed(pad_token_id=1)),
    "convbert": ("ConvBert", lambda r: {"embedding_size": r.choice([8, 16]), "head_ratio": r.choice([1, 2]),
                                        "conv_kernel_size": r.choice([3, 9]), "num_groups": r.choice([1, 2]),
                                        "hidden_size": 48, "num_attention_heads": 4}),
    "data2vec-text": ("Data2VecText", fixed(type_vocab_size=1, pad_token_id=1)),
    "deberta": ("Deberta", deberta),
    "deberta-v2": ("DebertaV2", lambda r: {**deberta(r), "position_buckets": r.choice([-1, 8]),
                                           "share_att_key": r.random() < 0.5, "norm_rel_ebd": "layer_norm"}),
    "distilbert": ("DistilBert", lambda r: {"dim": 24, "n_heads": 3, "n_layers": 2, "hidden_dim": r.choice([40, 57])}),
    "electra": ("Electra", lambda r: {"embedding_size": r.choice([8, 20])}),
    "ernie": ("Ernie", lambda r: {"use_task_id": r.random() < 0.5}),
    "esm": ("Esm", lambda r: {"position_embedding_type": r.choice(["rotary", "absolute"]), "mask_token_id": MASK,
                              "pad_token_id": 1, "token_dropout": r.random() < 0.8,
                              "emb_layer_norm_before": r.random() < 0.4}),
    "eurobert": ("EuroBert", decoder),
    "gemma": ("Gemma", decoder),
    "gemma2": ("Gemma2", capped),
    "gemma3_text": ("Gemma3Text", lambda r: {**decoder(r), "use_bidirectional_attention": r.random() < 0.5,
                                             "query_pre_attn_scalar": 9, "sliding_window": r.choice([3, 8])}),
    "gte": ("Gte", lambda r: {"rope_parameters": rope()}),
    "ibert": ("IBert", fixed(pad_token_id=1, quant_mode=False)),
    "jina_embeddings_v3": ("JinaEmbeddingsV3", lambda r: {"rope_parameters": rope(), "pad_token_id": 1}),
    "lfm2": ("Lfm2", lambda r: {"num_key_value_heads": 1, "pad_token_id": 0, "conv_L_cache": r.choice([2, 3]),
                                "conv_bias": False, "num_hidden_layers": 3,
                                "layer_types": ["conv", "full_attention", "conv"]}),
    "llama": ("Llama", lambda r: {**decoder(r), "attention_bias": r.random() < 0.5, "mlp_bias": r.random() < 0.5}),
    "longformer": ("Longformer", lambda r: {"attention_window": r.choice([4, 8]), "pad_token_id": 1, "sep_token_id": 2,
                                            "type_vocab_size": 1}),
    "luke": ("Luke", fixed(pad_token_id=1, entity_vocab_size=9, entity_emb_size=8)),
    "mbart": ("MBart", bart),
    "megatron-bert": ("MegatronBert", fixed()),
    "mistral": ("Mistral", lambda r: {**decoder(r), "sliding_window": r.choice([None, 2, 5])}),
    "mobilebert": ("MobileBert", lambda r: {"intra_bottleneck_size": 24, "embedding_size": 8, "hidden_size": 48,
                                            "num_attention_heads": 3, "num_feedforward_networks": r.choice([1, 2, 4]),
                                            "trigram_input": r.random() < 0.7,
                                            "use_bottleneck_attention": r.random() < 0.3,
                                            "classifier_activation": False}),
    "modernbert": ("ModernBert", lambda r: {"local_attention": r.choice([4, 8]), "pad_token_id": 0}),
    "modernbert-decoder": ("ModernBertDecoder", lambda r: {"local_attention": r.choice([4, 8]), "pad_token_id": 0}),
    "mpnet": ("MPNet", fixed(pad_token_id=1)),
    "mt5": ("MT5", t5),
    "neobert": ("NeoBert", fixed(pad_token_id=0, hidden_act="SwiGLU", norm_eps=1e-6, tie_word_embeddings=False)),
    "nomic_bert": ("NomicBert", lambda r: {"rope_parameters": rope()}),
    "phi3": ("Phi3", lambda r: {"num_key_value_heads": 1, "pad_token_id": 0, "sliding_window": r.choice([None, 5]),
                                "original_max_position_embeddings": 70}),
    "qwen2": ("Qwen2", lambda r: {"num_key_value_heads": 1, "pad_token_id": 0}),
    "qwen3": ("Qwen3", decoder),
    "rembert": ("RemBert", lambda r: {"input_embedding_size": r.choice([8, 16]), "output_embedding_size": 20}),
    "roberta": ("Roberta", fixed(pad_token_id=1)),
    "roformer": ("RoFormer", lambda r: {"embedding_size": r.choice([8, 16])}),
    "squeezebert": ("SqueezeBert", lambda r: {"q_groups": r.choice([1, 2]), "k_groups": 4, "v_groups": 2,
                                              "post_attention_groups": r.choice([1, 4]), "intermediate_groups": 4,
                                              "output_groups": 2, "embedding_size": None}),
    "t5": ("T5", t5),
    "t5gemma": ("T5Gemma", lambda r: dict.fromkeys(("encoder", "decoder"), capped(r))),
    "umt5": ("UMT5", t5),
    "xlm-roberta": ("XLMRoberta", fixed(pad_token_id=1)),
    "xlm-roberta-xl": ("XLMRobertaXL", fixed(pad_token_id=1)),
    "xmod": ("Xmod", lambda r: {"languages": ["en_XX", "de_DE"], "default_language": r.choice(["en_XX", "de_DE"]),
                                "pre_norm": r.random() < 0.5, "adapter_layer_norm": r.random() < 0.3,
                                "adapter_reuse_layer_norm": r.random() < 0.6, "ln_before_adapter": r.random() < 0.6}),
}
ENCODERS = ("bart", "mbart", "mt5", "t5", "t5gemma", "umt5")
# Settings of the models that are written.
WRITTEN = {"deberta": {"pos_att_type": ["c2p", "p2c"], "type_vocab_size": 2, "position_biased_input": True},
           "esm": {"position_embedding_type": "rotary", "token_dropout": True, "emb_layer_norm_before": True}}


class NeoBertConfig(transformers.PretrainedConfig):
    """Computes NeoBERT by its authors' code (chandar-lab/NeoBERT), since transformers has no class for it."""

    model_type = "neobert"


class NeoBertForMaskedLM(transformers.PreTrainedModel):
    config_class = NeoBertConfig

    def __init__(self, config):
        super().__init__(config)
        hidden, inner = config.hidden_size, (2 * config.intermediate_size // 3 + 7) // 8 * 8

        def linear(inputs, outputs, bias=False):
            return nn.Linear(inputs, outputs, bias=bias)

        self.model = nn.Module()
        self.model.encoder = nn.Embedding(config.vocab_size, hidden)
        self.model.transformer_encoder = nn.ModuleList()
        for _ in range(config.num_hidden_layers):
            layer = nn.Module()
            layer.qkv, layer.wo = linear(hidden, 3 * hidden), linear(hidden, hidden)
            layer.ffn = nn.Module()
            layer.ffn.w12, layer.ffn.w3 = linear(hidden, 2 * inner), linear(inner, hidden)
            layer.attention_norm, layer.ffn_norm = nn.RMSNorm(hidden, 1e-6), nn.RMSNorm(hidden, 1e-6)
            self.model.transformer_encoder.append(layer)
        self.model.layer_norm = nn.RMSNorm(hidden, 1e-6)
        self.decoder = linear(hidden, config.vocab_size, bias=True)
        self.post_init()

    def forward(self, input_ids, **_):
        x = self.model.encoder(input_ids)[0]
        heads, length = self.config.num_attention_heads, len(x)
        width = x.shape[1] // heads
        turns = torch.outer(torch.arange(length), 1 / 10000 ** (torch.arange(0, width, 2).float() / width))

        def rotated(rows):
            pairs = torch.view_as_complex(rows.reshape(length, heads, -1, 2))
            return torch.view_as_real(pairs * torch.polar(torch.ones_like(turns), turns)[:, None]).flatten(2)

        for layer in self.model.transformer_encoder:
            q, k, v = layer.qkv(layer.attention_norm(x)).view(length, heads, 3 * width).chunk(3, -1)
            q, k, v = (part.transpose(0, 1) for part in (rotated(q), rotated(k), v))
            mixed = torch.softmax(q @ k.transpose(1, 2) / width**0.5, -1) @ v
            x = x + layer.wo(mixed.transpose(0, 1).reshape(length, -1))
            gate, up = layer.ffn.w12(layer.ffn_norm(x)).chunk(2, -1)
            x = x + layer.ffn.w3(nn.functional.silu(gate) * up)
        last = self.model.layer_norm(x)[None]
        return MaskedLMOutput(hidden_states=(last,), logits=self.decoder(last))


def class_of(name):
    return getattr(transformers, name, None) or globals().get(name)


def usual(r):
    heads, width = r.choice([2, 3, 4]), r.choice([8, 12, 16])
    return {"vocab_size": r.choice([61, 97, 130]), "hidden_size": heads * width, "num_attention_heads": heads,
            "num_hidden_layers": r.choice([1, 2, 3]), "intermediate_size": r.choice([40, 56, 88]),
            "max_position_embeddings": 70, "bos_token_id": 0, "eos_token_id": 2}


def weights(name, shape):
    """Returns numbers that follow from the tensor's name and the index: SplitMix64 from the name's FNV-1a hash. They
    are within 0.25 of 1 for a norm's weight, and within 0.25 of 0 otherwise."""
    with np.errstate(over="ignore"):
        seed = np.uint64(0xCBF29CE484222325)
        for byte in name.encode():
            seed = (seed ^ np.uint64(byte)) * np.uint64(0x100000001B3)
        z = seed + np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    numbers = (z >> np.uint64(40)).astype(np.float64) / 2**25 - 0.25
    is_norm = len(shape) == 1 and name.endswith(".weight")
    return torch.from_numpy((numbers + is_norm).astype(np.float32).reshape(shape))


class Case:
    """A model of a family. The seed decides its sizes. It may have a head."""

    def __init__(self, family, seed, ending="Model", **fields):
        prefix, of_family = FAMILIES[family]
        self.random = random.Random(seed)
        labels = 2 if ending == "ForQuestionAnswering" else 3
        given = {**usual(self.random), "num_labels": labels}
        of_it = of_family(self.random)
        if "d_model" in of_it:
            given = {name: given[name] for name in ("vocab_size", "max_position_embeddings")}
        if "encoder" in of_it:
            sides = {side: {**given, **of_it[side]} for side in ("encoder", "decoder")}
            given, of_it = {"vocab_size": given["vocab_size"]}, sides
        given.update(of_it, **fields)
        if given.get("embedding_size", 0) is None:
            given["embedding_size"] = given["hidden_size"]
        config, kind = class_of(prefix + "Config")(**given), class_of(prefix + ending)
        self.head = HEADS.get(ending)
        self.folder = tempfile.TemporaryDirectory()
        made = kind(config)
        made.save_pretrained(self.folder.name)
        fixed = {name for name, value in made.named_parameters() if not value.requires_grad}
        file = Path(self.folder.name, "model.safetensors")
        with safe_open(file, "pt") as stored:
            self.shapes = {name: stored.get_slice(name).get_shape() for name in sorted(stored.keys())
                           if not name.endswith("inv_freq")}
        save_file({name: made.get_parameter(name).data if name in fixed else weights(name, shape)
                   for name, shape in self.shapes.items()}, file, {"format": "pt"})
        self.model = kind.from_pretrained(self.folder.name, attn_implementation="eager").eval()
        self.ids = [i for i in range(1, given["vocab_size"]) if i not in (config.pad_token_id, MASK)]

    def texts(self, lengths):
        texts = [[self.random.choice(self.ids) for _ in range(length)] for length in lengths]
        for text in texts:
            text[2:3] = [MASK] * (len(text) > 2)
        return texts

    def reference(self, texts, dtype):
        """Returns the outputs of the encoder, and those of the head if there is one."""
        self.model.to(dtype)
        model = self.model.get_encoder() if self.model.config.is_encoder_decoder else self.model
        hidden, heads = [], []
        with torch.no_grad():
            for ids in texts:
                given = torch.tensor([ids])
                out = model(input_ids=given, attention_mask=torch.ones_like(given), output_hidden_states=True)
                hidden.append(self.last_hidden_state(out)[0].double().numpy())
                if self.head is not None:
                    heads.append(self.logits(out)[0].double().numpy())
        self.model.float()
        return hidden, heads

    def contacts(self, texts, dtype):
        """Returns the probabilities of contacts that the reference's ESM computes."""
        self.model.to(dtype)
        with torch.no_grad():
            found = [self.model.predict_contacts(torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.int64))
                     for ids in texts]
        self.model.float()
        return [each[0].double().numpy() for each in found]

    def last_hidden_state(self, out):
        return out.last_hidden_state if "last_hidden_state" in out else out.hidden_states[-1]

    def logits(self, out):
        if self.head == HEADS["ForQuestionAnswering"]:
            return torch.stack([out.start_logits, out.end_logits], -1)
        return out.logits


class Sequence(ctypes.Structure):
    _fields_ = [("ids", ctypes.POINTER(ctypes.c_int32)), ("type_ids", ctypes.c_void_p), ("mask", ctypes.c_void_p),
                ("size", ctypes.c_size_t)]


class Floats(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_float)), ("capacity", ctypes.c_size_t)]


class Buffers(ctypes.Structure):
    _fields_ = [(name, Floats) for name in ("last_hidden_state", "pooler_output", "hidden_states", "attentions")]


class Library:
    """Calls this library by its C interface."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(Path(path).resolve()))
        self.c.bert_error_message.restype = ctypes.c_char_p
        self.c.bert_model_hidden_size.restype = ctypes.c_size_t
        self.c.bert_model_hidden_size.argtypes = [ctypes.c_void_p]
        self.c.bert_model_free.argtypes = [ctypes.c_void_p]

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.c.bert_error_message().decode())

    def outputs(self, case, texts):
        model = ctypes.c_void_p()
        self.check(self.c.bert_model_load(case.folder.name.encode(), None, ctypes.byref(model)))
        hidden = [self.output(model, None, ids) for ids in texts]
        heads = [] if case.head is None else [self.output(model, case.head, ids) for ids in texts]
        self.c.bert_model_free(model)
        return hidden, heads

    def output(self, model, head, ids):
        numbers = (ctypes.c_int32 * len(ids))(*ids)
        sequence = Sequence(numbers, None, None, len(ids))
        rows, columns = ctypes.c_size_t(len(ids)), ctypes.c_size_t(self.c.bert_model_hidden_size(model))
        if head is not None:
            self.check(self.c.bert_logits_get_sizes(model, head, ctypes.byref(sequence), ctypes.byref(rows),
                                                    ctypes.byref(columns)))
        memory = (ctypes.c_float * (rows.value * columns.value))()
        floats = Floats(memory, len(memory))
        if head is None:
            buffers = Buffers(last_hidden_state=floats)
            self.check(self.c.bert_encode(model, ctypes.byref(sequence), ctypes.c_size_t(1), ctypes.byref(buffers)))
        else:
            self.check(self.c.bert_logits(model, head, ctypes.byref(sequence), ctypes.c_size_t(1),
                                          ctypes.byref(floats)))
        return np.frombuffer(memory, np.float32).reshape(rows.value, columns.value).astype(np.float64)


def largest_error(found, expected):
    return max((float(np.abs(a - b.reshape(a.shape)).max()) for a, b in zip(found, expected, strict=True)), default=0.0)


def endings(family):
    """Returns the endings of the classes whose heads both libraries have. Leaves out heads of a decoder, and
    Longformer's head for questions, which needs three separators."""
    prefix = FAMILIES[family][0]
    if family in ENCODERS:
        return ["Model"]
    without = {"big_bird": "ForQuestionAnswering", "longformer": "ForQuestionAnswering"}.get(family)
    return [ending for ending in ("Model", *HEADS) if ending != without and class_of(prefix + ending)]


def print_errors(library, families, models):
    print("| family | hidden states | the reference's own | heads | the reference's own |")
    print("|---|---|---|---|---|")
    for family in families:
        worst = np.zeros((2, 2))
        for ending in endings(family):
            for seed in range(models):
                case = Case(family, seed, ending)
                texts = case.texts((1, 2, 5, 17, 33))
                expected = case.reference(texts, torch.float64)
                try:
                    found = library.outputs(case, texts)
                except RuntimeError as error:
                    sys.exit(f"{family} {ending} {seed}: {error}")
                own = case.reference(texts, torch.float32)
                for kind in range(2):
                    errors = [largest_error(outputs[kind], expected[kind]) for outputs in (found, own)]
                    worst[kind] = np.maximum(worst[kind], errors)
        print(f"| {family} | " + " | ".join(f"{error:.2e}" if error else "" for error in worst.flat) + " |",
              flush=True)


def written(family):
    """Returns the data of the family's test: a model with the first head that the family has."""
    case = Case(family, 1, endings(family)[:2][-1], vocab_size=31, **WRITTEN.get(family, {}))
    texts = case.texts((3, 6))
    expected, own = ([*case.reference(texts, dtype), case.contacts(texts, dtype) if family == "esm" else []]
                     for dtype in (torch.float64, torch.float32))
    config = case.model.config.to_diff_dict()
    config.pop("dtype", None)
    config.pop("transformers_version", None)
    result = {"config": config, "tensors": case.shapes, "texts": texts}
    for name, outputs, others in zip(("hidden", "logits", "contacts"), expected, own, strict=True):
        if outputs:
            result[name] = {"limit": float(f"{2 * largest_error(others, outputs):.2g}"),
                            "values": [[float(f"{value:.8g}") for value in output.flat] for output in outputs]}
    return result


def write(families):
    models = json.loads(FILE.read_text()) if FILE.exists() else {}
    models.update((family, written(family)) for family in families)
    lines = [f"{json.dumps(name)}: {json.dumps(models[name], separators=(',', ':'))}" for name in sorted(models)]
    FILE.write_text("{" + ",\n".join(lines) + "}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["errors", "write"])
    parser.add_argument("families", nargs="*", help="all of them, if none is named")
    parser.add_argument("--library", default="build/libbertinfer.so")
    parser.add_argument("--models", type=int, default=16, help="random models of each class")
    arguments = parser.parse_intermixed_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    families = arguments.families or sorted(FAMILIES)
    if arguments.command == "errors":
        print_errors(Library(arguments.library), families, arguments.models)
    else:
        write(families)


if __name__ == "__main__":
    main()
