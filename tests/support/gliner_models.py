"""Tiny random GLiNER models in their directories' form, by the reference's own classes; where gliner is installed."""

import pathlib

import torch
from gliner import GLiNER
from gliner.config import BiEncoderSpanConfig, BiEncoderTokenConfig, UniEncoderSpanConfig, UniEncoderTokenConfig
from gliner.model import BiEncoderSpanGLiNER, BiEncoderTokenGLiNER, UniEncoderSpanGLiNER, UniEncoderTokenGLiNER
from transformers import (BertConfig, DebertaV2Config, ModernBertConfig, PreTrainedTokenizerFast, RobertaConfig)

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
WORDPIECE = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
             "mask_token": "[MASK]"}
BYTE_LEVEL = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>", "sep_token": "</s>",
              "cls_token": "<s>", "mask_token": "<mask>"}
# The form's name: what is unlike the defaults, with the encoder.
FORMS = {
    "span": {"encoder": "deberta"},
    "span-marker": {"encoder": "bert", "span_mode": "marker", "hidden_size": 24, "num_rnn_layers": 2},
    "span-last": {"encoder": "roberta", "subtoken_pooling": "last", "embed_ent_token": False, "max_width": 5},
    "span-mean": {"encoder": "modernbert", "subtoken_pooling": "mean", "num_rnn_layers": 0, "max_len": 60},
    "token": {"encoder": "deberta", "token": True},
    "token-max": {"encoder": "bert", "token": True, "subtoken_pooling": "max", "hidden_size": 40},
    "bi-span": {"encoder": "deberta", "bi": True, "hidden_size": 28},
    "bi-span-marker": {"encoder": "modernbert", "bi": True, "span_mode": "marker"},
    "bi-token": {"encoder": "bert", "bi": True, "token": True, "num_rnn_layers": 0},
}


def tokenizer_of(kind: str, data: pathlib.Path) -> PreTrainedTokenizerFast:
    """A real vocabulary: WordPiece, or byte-level BPE."""
    if kind in {"roberta", "modernbert"}:
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(data / "roberta-base.tokenizer.json"), **BYTE_LEVEL)
    else:
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(data / "all-MiniLM-L6-v2.tokenizer.json"), **WORDPIECE)
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
    if kind in {"bert", "roberta"}:
        tokenizer.model_max_length = 512
    return tokenizer


def encoder_config(kind: str, vocab: int):
    """A tiny encoder with as many rows in its table."""
    if kind == "deberta":
        return DebertaV2Config(vocab_size=vocab, **SIZES, relative_attention=True, pos_att_type=["p2c", "c2p"],
                               position_buckets=16, norm_rel_ebd="layer_norm", share_att_key=True,
                               position_biased_input=False, max_relative_positions=-1, type_vocab_size=0)
    if kind == "modernbert":
        return ModernBertConfig(vocab_size=vocab, **SIZES, pad_token_id=1, bos_token_id=0, eos_token_id=2,
                                cls_token_id=0, sep_token_id=2, local_attention=8, global_attn_every_n_layers=2)
    if kind == "roberta":
        return RobertaConfig(vocab_size=vocab, **SIZES, max_position_embeddings=514, type_vocab_size=1)
    return BertConfig(vocab_size=vocab, **SIZES)


def randomize(model: torch.nn.Module, seed: int) -> None:
    """Weights that give scores of all sizes."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if weight.dim() < 2:
                weight.copy_((1.0 if "norm" in name.lower() and name.endswith("weight") else 0.0) + 0.1 * noise)
            else:
                weight.copy_(noise * (1.0 if "embedding" in name else 1.1 / weight.shape[-1] ** 0.5))


def make(form: str, out: pathlib.Path, data: pathlib.Path, seed: int = 1) -> None:
    """Writes a model of the form, with its tokenizers and its weights as safetensors. data: folder of tokenizers."""
    settings = dict(FORMS[form])
    kind, is_bi, is_token = settings.pop("encoder"), settings.pop("bi", False), settings.pop("token", False)
    tokenizer = tokenizer_of(kind, data)
    if not is_bi:
        tokenizer.add_tokens(["[FLERT]", "<<ENT>>", "<<SEP>>"], special_tokens=True)
    vocab = len(tokenizer)
    values = {"model_name": f"tiny/{kind}", "hidden_size": SIZES["hidden_size"], "max_width": 12,
              "vocab_size": -1 if is_bi else vocab, "class_token_index": -1 if is_bi else vocab - 2,
              "encoder_config": encoder_config(kind, vocab).to_dict(), **settings}
    classes = {(False, False): (UniEncoderSpanConfig, UniEncoderSpanGLiNER),
               (False, True): (UniEncoderTokenConfig, UniEncoderTokenGLiNER),
               (True, False): (BiEncoderSpanConfig, BiEncoderSpanGLiNER),
               (True, True): (BiEncoderTokenConfig, BiEncoderTokenGLiNER)}
    config_class, model_class = classes[is_bi, is_token]
    extra = {}
    if is_bi:
        label_tokenizer = tokenizer_of("bert", data)
        values |= {"labels_encoder": "tiny/labels",
                   "labels_encoder_config": encoder_config("bert", len(label_tokenizer)).to_dict()}
        extra["labels_tokenizer"] = label_tokenizer
    model = model_class(config_class(**values), tokenizer=tokenizer, backbone_from_pretrained=False, **extra)
    randomize(model.model, seed)
    model.eval()
    model.save_pretrained(out, safe_serialization=True)


def load(directory: pathlib.Path) -> GLiNER:
    """The reference's model."""
    return GLiNER.from_pretrained(str(directory), load_tokenizer=True, local_files_only=True)
