"""Makes random models of the newer families with the reference's float64 outputs, in the form of the shared data.

The reference is transformers. For Jina embeddings v3 with an adapter it is transformers with merged weights. For
JinaBERT v2, which transformers lacks, it is jina_bert_reference.py.
"""

import contextlib
import copy
import functools
import json
import random
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable
from unittest import mock

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file

from jina_bert_reference import JinaBert

HEADS = ("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification")
QUESTIONS = ("ForQuestionAnswering",)
DTYPES = ("float32", "float32", "float16", "bfloat16")
TASKS = ("retrieval.query", "separation", "classification")


@dataclass(frozen=True)
class Family:
    """A family of models. `prefix` begins the names of the reference's classes, `settings` returns random settings, and
    `edit` changes the files of the written model."""

    prefix: str
    heads: tuple[str, ...]
    settings: Callable[[random.Random], dict]
    has_windows: bool = False  # if true, the reference computes NaN for padded texts
    edit: Callable[[Path], None] | None = None


def sizes(draw: random.Random, head_sizes: tuple[int, ...] = (2, 4, 10, 16, 18, 34)) -> dict:
    """Returns random sizes, many of them odd. The size of a head is even, because rotary positions need that."""
    heads = draw.choice((1, 2, 3, 5))
    return {
        "vocab_size": draw.randint(60, 150), "hidden_size": heads * draw.choice(head_sizes),
        "num_attention_heads": heads, "num_hidden_layers": draw.randint(1, 4),
        "intermediate_size": draw.randint(10, 90), "max_position_embeddings": 700, "pad_token_id": 1,
        "bos_token_id": 0, "eos_token_id": 2,
    }


def scaled_rotary(draw: random.Random, kinds: tuple[str, ...]) -> dict:
    """Returns settings of rotary positions. With "dynamic", most texts are longer than the trained length."""
    rotary = {"rope_type": draw.choice(kinds), "rope_theta": draw.choice((500.0, 10000.0, 160000.0))}
    if rotary["rope_type"] == "yarn":
        return yarn(draw)
    if rotary["rope_type"] != "default":
        rotary["factor"] = draw.choice((1.5, 2.0, 8.0))
    return rotary


def yarn(draw: random.Random) -> dict:
    return {"rope_type": "yarn", "rope_theta": draw.choice((500.0, 150000.0)), "factor": draw.choice((1.5, 8.0, 32.0)),
            "beta_fast": draw.choice((4.0, 32.0)), "beta_slow": 1.0, "truncate": draw.random() < 0.5,
            "original_max_position_embeddings": draw.choice((50, 4096))}


def layered_rotary(draw: random.Random) -> dict:
    return {kind: {"rope_type": "default", "rope_theta": draw.choice((100.0, 10000.0, 160000.0))}
            for kind in ("full_attention", "sliding_attention")}


def random_layer_types(draw: random.Random, layers: int) -> list[str]:
    return [draw.choice(("full_attention", "sliding_attention")) for _ in range(layers)]


def deberta(draw: random.Random) -> dict:
    return sizes(draw, (4, 7, 12, 16, 17, 33)) | {
        "relative_attention": True, "position_buckets": draw.choice((-1, 4, 16, 24, 256)),
        "max_relative_positions": draw.choice((-1, -1, 200, 300)), "share_att_key": draw.random() < 0.5,
        "norm_rel_ebd": draw.choice(("layer_norm", "none")), "type_vocab_size": draw.choice((0, 2)),
        "pos_att_type": draw.choice((["c2p"], ["p2c"], ["p2c", "c2p"], "c2p|p2c")),
        "conv_kernel_size": draw.choice((0, 0, 1, 3, 5)), "conv_act": draw.choice(("tanh", "gelu")),
        "position_biased_input": draw.random() < 0.3, "legacy": draw.random() < 0.5,
    }


def modernbert(draw: random.Random) -> dict:
    chosen = sizes(draw)
    return chosen | {
        "layer_types": random_layer_types(draw, chosen["num_hidden_layers"]), "rope_parameters": layered_rotary(draw),
        "local_attention": draw.choice((2, 6, 30, 128)), "norm_bias": draw.random() < 0.5,
        "attention_bias": draw.random() < 0.5, "mlp_bias": draw.random() < 0.5, "decoder_bias": draw.random() < 0.5,
        "classifier_bias": draw.random() < 0.5, "classifier_pooling": draw.choice(("cls", "mean")),
        "cls_token_id": 0, "sep_token_id": 2,
    }


def nomic_bert(draw: random.Random) -> dict:
    # Heads of size 2 are left out, because the reference then divides by 0 if theta grows.
    return sizes(draw, (4, 10, 16, 18, 34)) | {
        "type_vocab_size": draw.choice((1, 2)), "max_position_embeddings": draw.choice((50, 700)),
        "rope_parameters": scaled_rotary(draw, ("default", "dynamic", "yarn")),
    }


def gte(draw: random.Random) -> dict:
    return sizes(draw) | {"type_vocab_size": draw.choice((0, 1, 2)),
                          "rope_parameters": scaled_rotary(draw, ("default", "linear", "yarn"))}


def jina_v3(draw: random.Random) -> dict:
    return sizes(draw) | {"type_vocab_size": 1, "rope_parameters": scaled_rotary(draw, ("default",))}


def eurobert(draw: random.Random) -> dict:
    chosen = sizes(draw)
    divisors = [n for n in range(1, chosen["num_attention_heads"] + 1) if chosen["num_attention_heads"] % n == 0]
    return chosen | {
        "num_key_value_heads": draw.choice(divisors), "attention_bias": draw.random() < 0.5,
        "mlp_bias": draw.random() < 0.5, "rope_parameters": scaled_rotary(draw, ("default", "yarn")),
        "mask_token_id": 3,
        "tie_word_embeddings": draw.random() < 0.5, "classifier_pooling": draw.choice(("bos", "mean", "late")),
    }


def ultrabert(draw: random.Random) -> dict:
    chosen = eurobert(draw)
    return chosen | {
        "layer_types": random_layer_types(draw, chosen["num_hidden_layers"]), "rope_parameters": layered_rotary(draw),
        "sliding_window": draw.choice((1, 3, 15, 128)), "prediction_head_size": draw.randint(5, 40),
        "classifier_pooling": draw.choice(("cls", "mean")),
    }


def own_heads(draw: random.Random) -> dict:
    """Returns settings with a separate size of the heads, and with fewer heads for keys than for queries."""
    heads = draw.choice((1, 2, 3, 4))
    return sizes(draw) | {
        "num_attention_heads": heads, "hidden_size": heads * draw.randint(3, 24),
        "num_key_value_heads": draw.choice([n for n in range(1, heads + 1) if heads % n == 0]),
        "head_dim": draw.choice((2, 4, 16, 18, 34, 64)), "attention_bias": draw.random() < 0.5,
        "tie_word_embeddings": draw.random() < 0.5, "use_bidirectional_attention": draw.random() < 0.5,
    }


def qwen3(draw: random.Random) -> dict:
    chosen = own_heads(draw) | {"rope_parameters": scaled_rotary(draw, ("default", "linear", "yarn"))}
    if chosen["use_bidirectional_attention"]:
        return chosen
    return chosen | {
        "use_sliding_window": draw.random() < 0.5, "sliding_window": draw.choice((1, 3, 15, 128)),
        "max_window_layers": draw.randint(0, 3),
    }


def gemma3_text(draw: random.Random) -> dict:
    chosen = own_heads(draw)
    return chosen | {
        "layer_types": random_layer_types(draw, chosen["num_hidden_layers"]), "rope_parameters": layered_rotary(draw),
        "sliding_window": draw.choice((2, 5, 16, 128)), "query_pre_attn_scalar": draw.choice((4, 16, 100)),
    }


def privacy_filter(draw: random.Random) -> dict:
    experts = draw.randint(3, 9)
    return own_heads(draw) | {
        "attention_bias": True, "num_local_experts": experts, "num_experts_per_tok": draw.randint(1, min(4, experts)),
        "swiglu_limit": draw.choice((0.3, 1.0, 7.0)), "sliding_window": draw.choice((1, 3, 15, 128)),
        "rope_parameters": yarn(draw),
    }


def jina_bert(draw: random.Random) -> dict:
    return sizes(draw, (4, 7, 12, 17)) | {
        "model_type": "bert", "position_embedding_type": "alibi", "feed_forward_type": "geglu", "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
    }


def as_new(folder: Path) -> None:
    """Rewrites the directory from the reference's form of GTE to that of GTE's authors."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    rotary = config.pop("rope_parameters")
    config |= {"model_type": "new", "position_embedding_type": "rope", "rope_theta": rotary.pop("rope_theta")}
    kind = rotary.pop("rope_type")
    if kind != "default":
        config["rope_scaling"] = {"type": kind} | rotary
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


FAMILIES = {
    "deberta-v2": Family("DebertaV2", (*HEADS, *QUESTIONS, "ForMultipleChoice"), deberta),
    "modernbert": Family("ModernBert", (*HEADS, *QUESTIONS, "ForMultipleChoice"), modernbert, has_windows=True),
    "nomic_bert": Family("NomicBert", HEADS, nomic_bert),
    "gte": Family("Gte", HEADS, gte),
    "new": Family("Gte", HEADS, gte, edit=as_new),
    "jina_embeddings_v3": Family("JinaEmbeddingsV3", (*HEADS, *QUESTIONS), jina_v3),
    "xlm-roberta-flash": Family("JinaEmbeddingsV3", (), jina_v3),
    "eurobert": Family("EuroBert", HEADS, eurobert),
    "ultrabert": Family("Ultrabert", (*HEADS, *QUESTIONS), ultrabert, has_windows=True),
    "qwen3": Family("Qwen3", HEADS[1:], qwen3),
    "gemma3_text": Family("Gemma3Text", HEADS[1:2], gemma3_text, has_windows=True),
    "openai_privacy_filter": Family("OpenAIPrivacyFilter", HEADS[2:], privacy_filter),
    "jina-bert": Family("JinaBert", (), jina_bert),
}


def randomize(model: torch.nn.Module, dtype: torch.dtype) -> None:
    """Sets random weights with which every part of the model matters, rounded to this type."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn_like(weight)
            if weight.dim() == 1:
                values = 0.2 * noise + (1 if name.endswith("weight") else 0)
            else:
                values = (1.0 if "embed" in name else 0.5 / weight.shape[-1] ** 0.5) * noise
            weight.copy_(values.to(dtype))


def random_cases(draw: random.Random, settings: dict, has_windows: bool) -> list[dict]:
    """Returns texts of one token to hundreds, and one text with masked tokens inside and at its end. They are sorted by
    length, because with a theta that grows with the length the reference keeps the theta of an earlier, longer text."""
    masks = [[1] * length for length in (1, 2, 7, 17, 64, 130, draw.randint(260, 600))]
    if not has_windows:
        # With a theta that grows with the length, the reference counts padding at the end, so there is none.
        end = [0] * 15 if settings.get("rope_parameters", {}).get("rope_type") != "dynamic" else []
        masks.insert(5, [1] * 20 + [0] * 5 + [1] * 40 + end)
    types = settings.get("type_vocab_size", 0)
    cases, offset = [], 0
    for mask in masks:
        last = max(i + 1 for i, kept in enumerate(mask) if kept)
        padding = [settings["pad_token_id"]] * (len(mask) - last)
        cases.append({
            "id": f"case-{len(cases)}", "batch": None, "attention_mask": mask, "rows": sum(mask), "row_offset": offset,
            "input_ids": [draw.randrange(settings["vocab_size"]) for _ in range(last)] + padding,
            "token_type_ids": [draw.randrange(types) for _ in mask] if types > 1 else None,
        })
        offset += sum(mask)
    return cases


def norm_in_its_precision(norm: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Computes RMSNorm in the precision of `x`, where the reference always uses float32."""
    weight = norm.weight + 1 if type(norm).__name__.startswith("Gemma") else norm.weight
    eps = getattr(norm, "eps", None) or norm.variance_epsilon
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


@contextlib.contextmanager
def without_float32():
    """Makes a model compute in its own precision where its code asks for float32."""
    tensor_float, zeros_like, softmax = torch.Tensor.float, torch.zeros_like, torch.nn.functional.softmax
    with mock.patch.object(torch.Tensor, "float", lambda x: x if x.is_floating_point() else tensor_float(x)), \
            mock.patch("torch.zeros_like", lambda x, dtype=None, device=None: zeros_like(x)), \
            mock.patch("torch.nn.functional.softmax", lambda x, dim, dtype=None: softmax(x, dim)):
        yield


def least_margin(model: torch.nn.Module, case: dict) -> float:
    """Returns the least difference between the logits of a token's last chosen expert and of the next one. Returns
    infinity for a model without experts."""
    margins = [float("inf")]

    def observe(router: torch.nn.Module, _inputs: tuple, outputs: tuple) -> None:
        logits = outputs[0].sort(descending=True).values
        if router.top_k < logits.shape[-1]:
            margins.append(float((logits[:, router.top_k - 1] - logits[:, router.top_k]).min()))

    routers = [module for module in model.modules() if type(module).__name__.endswith("TopKRouter")]
    hooks = [router.register_forward_hook(observe) for router in routers]
    if routers:
        with torch.no_grad():
            model.base_model(input_ids=torch.tensor([case["input_ids"]]),
                             attention_mask=torch.tensor([case["attention_mask"]]))
    for hook in hooks:
        hook.remove()
    return min(margins)


def outputs_of(model: torch.nn.Module, model_class: str, case: dict) -> dict[str, np.ndarray]:
    """Returns the last hidden state and the head's outputs of the tokens that are not masked."""
    keys = ("input_ids", "attention_mask", "token_type_ids")
    inputs = {key: torch.tensor([case[key]]) for key in keys if case[key] is not None}
    kept = torch.tensor(case["attention_mask"]).bool()
    if model_class.startswith("Qwen3") and model.config.use_bidirectional_attention:
        # The reference's class is causal, unless the mask is given as scores, which it uses unchanged.
        mask = (~kept).to(model.dtype) * torch.finfo(model.dtype).min
        inputs["attention_mask"] = {"full_attention": mask.expand(1, 1, len(kept), len(kept))}
    with torch.no_grad():
        outputs = {"last_hidden_state": model.base_model(**inputs).last_hidden_state[0][kept]}
        if model_class.endswith("ForMultipleChoice"):
            inputs = {key: value[None] for key, value in inputs.items()}
        result = model(**inputs) if "For" in model_class else {}
    if model_class.endswith("ForQuestionAnswering"):
        outputs |= {name: result[name][0][kept] for name in ("start_logits", "end_logits")}
    elif model_class.endswith("ForMaskedLM"):
        outputs["prediction_logits"] = result.logits[0][kept]
    elif model_class.endswith("ForTokenClassification"):
        outputs["logits"] = result.logits[0][kept]
    elif "For" in model_class:
        outputs["logits"] = result.logits
    return {name: values.double().numpy() for name, values in outputs.items()}


def write_golden(folder: Path, model: torch.nn.Module, model_class: str, cases: list[dict], task: str | None) -> int:
    """Writes golden.json and the arrays: the model's outputs in float64, and its own errors in float32. Leaves out
    cases in which float32 may choose another expert, and returns their number."""
    model = model.double()
    norms = [module for module in model.modules() if type(module).__name__.endswith("RMSNorm")]
    for norm in norms:
        norm.forward = functools.partial(norm_in_its_precision, norm)
    with without_float32():
        close = [case for case in cases if least_margin(model, case) < 1e-5]
        for case in close:
            cases.remove(case)
        double = [outputs_of(model, model_class, case) for case in cases]
    for norm in norms:
        del norm.forward
    outputs = {name: {"file": f"{name}.npy", "float32_error": {}} for name in double[0]}
    implementations = ("eager", "sdpa") if getattr(model, "_supports_sdpa", False) else ("eager",)
    for attention in implementations:
        if len(implementations) > 1:
            model.set_attn_implementation(attention)
        single = [outputs_of(model.float(), model_class, case) for case in cases]
        for name, output in outputs.items():
            output["float32_error"][attention] = max(float(np.abs(a[name] - b[name]).max())
                                                     for a, b in zip(single, double))
    for name in outputs:
        np.save(folder / f"{name}.npy", np.concatenate([one[name] for one in double]))
    offset = 0
    for case in cases:
        case["row_offset"], offset = offset, offset + case["rows"]
    golden = {"model_class": model_class, "task": task, "cases": cases, "outputs": outputs}
    (folder / "golden.json").write_text(json.dumps(golden), encoding="utf-8")
    return len(close)


def with_adapters(draw: random.Random, folder: Path) -> tuple[torch.nn.Module, str]:
    """Turns a written Jina embeddings v3 into its authors' form, with an adapter (LoRA) for each task. Returns the
    reference's model with the adapter of a task merged into its weights, and the task."""
    chosen, rank, alpha = draw.randrange(len(TASKS)), draw.randint(1, 5), draw.choice((1.0, 2.0))
    tensors, merged = {}, {}
    for name, weight in load_file(folder / "model.safetensors").items():
        merged[name] = weight.double()
        if weight.dim() == 1:
            tensors["roberta." + name] = weight
            continue
        left = (0.3 * torch.randn(len(TASKS), weight.shape[0], rank)).to(weight.dtype)
        right = (0.3 * torch.randn(len(TASKS), rank, weight.shape[1])).to(weight.dtype)
        merged[name] += alpha / rank * (left[chosen].double() @ right[chosen].double())
        base = "roberta." + name.removesuffix("weight") + "parametrizations.weight"
        order = "AB" if "embeddings" in name else "BA"
        tensors |= {f"{base}.original": weight, f"{base}.0.lora_{order[0]}": left, f"{base}.0.lora_{order[1]}": right}
    with tempfile.TemporaryDirectory() as directory:
        shutil.copy(folder / "config.json", directory)
        save_file(merged, Path(directory) / "model.safetensors", {"format": "pt"})
        model = transformers.JinaEmbeddingsV3Model.from_pretrained(directory, dtype=torch.float64).eval()
    save_file(tensors, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config |= {"model_type": "xlm-roberta", "position_embedding_type": "rotary", "load_trained_adapters": True,
               "rotary_emb_base": config.pop("rope_parameters")["rope_theta"], "lora_adaptations": TASKS,
               "task_instructions": dict.fromkeys(TASKS, ""), "lora_rank": rank, "lora_alpha": alpha}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return model, TASKS[chosen]


def write_model(folder: Path, name: str, draw: random.Random, seed: int) -> str:
    """Writes a model of the family with golden.json beside it, and returns a line that describes the model."""
    family = FAMILIES[name]
    model_class, dtype = family.prefix + draw.choice(("Model", *family.heads)), getattr(torch, draw.choice(DTYPES))
    settings = family.settings(draw)
    if "For" in model_class:
        settings["num_labels"] = 2 if model_class.endswith("ForQuestionAnswering") else 3
    torch.manual_seed(seed)
    folder.mkdir(parents=True)
    if family.prefix == "JinaBert":
        model = JinaBert(settings)
    else:
        config = getattr(transformers, family.prefix + "Config")(**settings)
        model = getattr(transformers, model_class)(config).eval()
    randomize(model, dtype)
    shard = "5GB" if name == "xlm-roberta-flash" else draw.choice(("5GB", 20_000))
    # The model is copied, because the conversion also rounds the frequencies of its rotary positions, while those of a
    # loaded model are not rounded.
    copy.deepcopy(model).to(dtype).save_pretrained(folder, max_shard_size=shard)
    task = None
    if name == "xlm-roberta-flash":
        model, task = with_adapters(draw, folder)
    elif family.edit is not None:
        family.edit(folder)
    has_windows = family.has_windows or settings.get("use_sliding_window", False)
    close = write_golden(folder, model, model_class, random_cases(draw, settings, has_windows), task)
    return f"{model_class} {dtype} {settings}" + (f", {close} cases with a close choice of experts" if close else "")
