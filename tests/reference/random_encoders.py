"""Makes tokenizers, encoders and weights for tiny random models that read labels. Needs transformers."""

import pathlib

import torch
from transformers import BertConfig, DebertaV2Config, ModernBertConfig, PreTrainedTokenizerFast, RobertaConfig

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
WORDPIECE = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
             "mask_token": "[MASK]"}
BYTE_LEVEL = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>", "sep_token": "</s>",
              "cls_token": "<s>", "mask_token": "<mask>"}
UNIGRAM = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>"}


def tokenizer_of(kind: str, data: pathlib.Path) -> PreTrainedTokenizerFast:
    """Returns a tokenizer with a real vocabulary, of WordPiece or byte-level BPE."""
    if kind in {"roberta", "modernbert"}:
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(data / "roberta-base.tokenizer.json"), **BYTE_LEVEL)
    else:
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(data / "all-MiniLM-L6-v2.tokenizer.json"), **WORDPIECE)
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
    if kind in {"bert", "roberta"}:
        tokenizer.model_max_length = 512
    return tokenizer


def unigram_tokenizer(data: pathlib.Path) -> PreTrainedTokenizerFast:
    """Returns a tokenizer with another real vocabulary, of Unigram."""
    return PreTrainedTokenizerFast(tokenizer_file=str(data / "t5-small.tokenizer.json"), **UNIGRAM)


def encoder_config(kind: str, vocab: int, positions: int = 512):
    """Returns the configuration of a tiny encoder whose word table has `vocab` rows."""
    if kind == "deberta":
        return DebertaV2Config(vocab_size=vocab, **SIZES, relative_attention=True, pos_att_type=["p2c", "c2p"],
                               position_buckets=16, norm_rel_ebd="layer_norm", share_att_key=True,
                               position_biased_input=False, max_relative_positions=-1, type_vocab_size=0)
    if kind == "modernbert":
        return ModernBertConfig(vocab_size=vocab, **SIZES, pad_token_id=1, bos_token_id=0, eos_token_id=2,
                                cls_token_id=0, sep_token_id=2, local_attention=8, global_attn_every_n_layers=2,
                                max_position_embeddings=positions)
    if kind == "roberta":
        return RobertaConfig(vocab_size=vocab, **SIZES, max_position_embeddings=positions + 2, type_vocab_size=1)
    return BertConfig(vocab_size=vocab, **SIZES, max_position_embeddings=positions)


def randomize(model: torch.nn.Module, seed: int) -> None:
    """Gives the model random weights with which the scores range from small to large."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if weight.dim() < 2:
                weight.copy_((1.0 if "norm" in name.lower() and name.endswith("weight") else 0.0) + 0.1 * noise)
            else:
                weight.copy_(noise * (1.0 if "embedding" in name else 1.1 / weight.shape[-1] ** 0.5))
