#!/usr/bin/env python3
"""Changes each field of the reference's configuration classes alone, and compares the effects in both libraries.

For developers. Needs torch and transformers, which the tests do not need.

    PYTHONPATH=build/python:tests/support python3 tests/reference/compare_config_fields.py [FAMILY …]

For a model of each family with random weights, another value of a field must change the hidden states of both libraries
or of neither, or one library must refuse it. Prints the fields that only the reference reads, and those that this
library refuses although they have no effect in the reference. Fails if there are fields that only the reference reads.
"""

import json
import os
import random
import sys
import tempfile
import warnings
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
warnings.filterwarnings("ignore")

import bert_infer
import numpy as np
import reference_models
import torch
import transformers
from safetensors.torch import save_file
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

transformers.logging.set_verbosity_error()

IDS = [5, 8, 9, 3, 7, 11, 20, 31, 2, 6, 4, 4]
SIZES = {"vocab_size": 60, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2,
         "intermediate_size": 40, "max_position_embeddings": 64}  # fmt: skip
T5 = {"d_model": 24, "d_kv": 12, "d_ff": 40, "num_layers": 2, "num_heads": 2}
BART = {"d_model": 24, "encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": 2,
        "decoder_attention_heads": 2, "encoder_ffn_dim": 40, "decoder_ffn_dim": 16, "pad_token_id": 1}  # fmt: skip
ONE_KEY = {"num_key_value_heads": 1, "head_dim": 12, "pad_token_id": 0}
FAMILIES = {
    "bert": {}, "roberta": {}, "xlm-roberta": {}, "camembert": {}, "mpnet": {}, "nomic_bert": {},
    "jina_embeddings_v3": {}, "albert": {"embedding_size": 16}, "electra": {"embedding_size": 16},
    "distilbert": {"dim": 24, "n_layers": 2, "n_heads": 2, "hidden_dim": 40},
    "modernbert": {"local_attention": 4, "global_attn_every_n_layers": 2, "pad_token_id": 0, "eos_token_id": 1,
                   "bos_token_id": 2, "cls_token_id": 2, "sep_token_id": 1},
    "deberta-v2": {"position_buckets": 8, "relative_attention": True, "pos_att_type": ["c2p", "p2c"],
                   "type_vocab_size": 0},
    "eurobert": {**ONE_KEY, "bos_token_id": 1, "eos_token_id": 2}, "t5": T5, "mt5": T5,
    "qwen2": {"num_key_value_heads": 1}, "qwen3": ONE_KEY,
    "gemma3_text": {**ONE_KEY, "sliding_window": 4, "query_pre_attn_scalar": 12},
    "openai_privacy_filter": {**ONE_KEY, "bos_token_id": 1, "eos_token_id": 2, "num_local_experts": 2,
                              "num_experts_per_tok": 1},
    "bart": BART, "mbart": BART, "squeezebert": {"embedding_size": 24},
}  # fmt: skip
# Each other family has the fields of a random model. NeoBERT is left out, because transformers has no such model, and
# T5Gemma, because its encoder's fields are in an object of their own.
FAMILIES |= {family: of_family(random.Random(5)) for family, (_, of_family) in reference_models.FAMILIES.items()
             if family not in (*FAMILIES, "neobert", "t5gemma")}  # fmt: skip
# Fields that the classes compute from other fields, but take from the file if it has them.
COMPUTED = {"t5": ["dense_act_fn", "is_gated_act"], "mt5": ["dense_act_fn", "is_gated_act"]}
UNCHANGED = {"model_type", "transformers_version", "dtype", "architectures", "return_dict"}


def other_values(name, value):
    """Returns other values of a field."""
    if name == "dense_act_fn":
        return ["silu"]
    if isinstance(value, bool) or name == "is_gated_act":
        return [not value]
    if value is None:
        return [True, 3, "x", 0.5]
    if isinstance(value, int):
        return [value + 1, value - 1 if value > 1 else value + 2, 0]
    if isinstance(value, float):
        return [value * 3 if value else 0.25, 0.0]
    if isinstance(value, str):
        return ["relu" if value != "relu" else "gelu", "other"]
    return [type(value)()]


def trained(model):
    """Returns the names and values of the weights, without those that the class computes."""
    return [(name, tensor) for name, tensor in model.named_parameters() if tensor.requires_grad]


def of_reference(model_class, fields, weights):
    """Returns the reference's hidden states, or its error."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "config.json").write_text(json.dumps(fields))
            model = model_class(transformers.AutoConfig.from_pretrained(folder)).float().eval()
        for name, tensor in trained(model):
            if name not in weights or weights[name].shape != tensor.shape:
                return f"other weights: {name}"
        model.load_state_dict(weights, strict=False)
        model = model.get_encoder() if hasattr(model, "decoder") else model
        with torch.no_grad():
            return model(input_ids=torch.tensor([IDS])).last_hidden_state[0].double().numpy()
    except Exception as error:  # the reference's classes throw any exception
        return f"{type(error).__name__}: {error}"


def of_this(fields, weights):
    """Returns this library's hidden states, or its error."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps(fields))
        copies = {name: tensor.contiguous().clone() for name, tensor in weights.items()}
        save_file(copies, f"{folder}/model.safetensors")
        try:
            return np.asarray(bert_infer.Model(folder, threads=1).hidden_of_ids([IDS])[0], dtype=np.float64)
        except bert_infer.Error as error:
            return str(error)


def are_near(a, b):
    """Returns whether both are hidden states and differ by no more than rounding."""
    return not isinstance(a, str) and not isinstance(b, str) and a.shape == b.shape and np.abs(a - b).max() < 2e-4


def compare(family):
    """Returns the number of fields, and the number of those that only the reference reads."""
    sizes = {} if "d_model" in FAMILIES[family] else SIZES
    config = CONFIG_MAPPING[family](**{"vocab_size": 60, **sizes, **FAMILIES[family]})
    fields = {**json.loads(config.to_json_string(use_diff=False)), "model_type": family}
    for name in UNCHANGED - {"model_type"}:
        fields.pop(name, None)
    model_class = transformers.AutoModel._model_mapping[type(config)]
    torch.manual_seed(1)
    weights = {name: tensor.detach() + 0.15 * torch.randn(tensor.shape)
               for name, tensor in trained(model_class(config).float())}  # fmt: skip
    if "shared.weight" in weights:
        weights["encoder.embed_tokens.weight"] = weights["shared.weight"]
    reference, this = of_reference(model_class, fields, weights), of_this(fields, weights)
    if not are_near(reference, this):
        raise SystemExit(f"{family}: the models differ before any change: {reference}, {this}")
    unread = 0
    names = sorted(set(fields) - UNCHANGED) + COMPUTED.get(family, [])
    for name in names:
        for value in other_values(name, fields.get(name)):
            changed = {**fields, name: value}
            theirs, ours = of_reference(model_class, changed, weights), of_this(changed, weights)
            if isinstance(theirs, str):
                continue
            if isinstance(ours, str):
                if are_near(theirs, reference):
                    print(f"{family}: {name} {json.dumps(value)} is without effect there, and refused here: {ours}")
            elif not are_near(theirs, ours):
                print(f"{family}: {name} {json.dumps(value)} DIFFERS")
                unread += 1
    return len(names), unread


def main():
    """Compares the families that are named, or all."""
    unread = 0
    for family in sys.argv[1:] or FAMILIES:
        fields, of_family = compare(family)
        unread += of_family
        print(f"{family}: {fields} fields, {of_family} that only the reference reads")
    sys.exit(1 if unread else 0)


if __name__ == "__main__":
    main()
