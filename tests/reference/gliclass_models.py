"""Makes tiny random GLiClass models with the reference's own classes, in the form of its directories. Needs
gliclass."""

import pathlib

import torch
from gliclass import GLiClassModel, GLiClassModelConfig

from reference.random_encoders import SIZES, encoder_config, randomize, tokenizer_of

# For each form's name: the encoder, and the settings that differ from the defaults.
FORMS = {
    "uni": {"encoder": "deberta", "prompt_first": True},
    "uni-normal": {"encoder": "bert", "prompt_first": True, "normalize_features": True, "pooling_strategy": "avg",
                   "embed_class_token": False},
    "uni-after": {"encoder": "modernbert", "scorer_type": "weighted-dot", "pooling_strategy": "max",
                  "class_token_pooling": "average"},
    "uni-text": {"encoder": "deberta", "prompt_first": True, "extract_text_features": True, "pooling_strategy": "rms",
                 "class_token_pooling": "average", "scorer_type": "mlp", "embed_class_token": False},
    "uni-lstm": {"encoder": "bert", "prompt_first": True, "use_lstm": True, "pooling_strategy": "abs_avg",
                 "scorer_type": "mlp"},
    "uni-wide": {"encoder": "roberta", "prompt_first": True, "hidden_size": 48, "projector_hidden_act": "relu",
                 "pooling_strategy": "sum", "extract_text_features": True},
    "bi": {"encoder": "deberta", "bi": "bi-encoder", "normalize_features": True},
    "bi-mlp": {"encoder": "bert", "bi": "bi-encoder", "scorer_type": "mlp", "pooling_strategy": "last"},
    "fused": {"encoder": "deberta", "bi": "bi-encoder-fused", "prompt_first": True},
    "fused-after": {"encoder": "bert", "bi": "bi-encoder-fused", "normalize_features": True,
                    "scorer_type": "weighted-dot"},
}


def make(form: str, out: pathlib.Path, data: pathlib.Path, seed: int = 1) -> None:
    """Writes a model of the form, with its tokenizers and its weights as safetensors. data: folder of tokenizers."""
    settings = dict(FORMS[form])
    kind, bi = settings.pop("encoder"), settings.pop("bi", None)
    tokenizer = tokenizer_of(kind, data)
    tokenizer.add_tokens(["<<LABEL>>", "<<SEP>>", "<<EXAMPLE>>"], special_tokens=True)
    vocab = len(tokenizer)
    settings = {"hidden_size": SIZES["hidden_size"], **settings}
    if bi:
        labels = out / "labels_tokenizer"
        label_tokenizer = tokenizer_of("bert", data)
        label_tokenizer.save_pretrained(labels)
        settings |= {"architecture_type": bi, "label_model_name": str(labels),
                     "label_model_config": encoder_config("bert", len(label_tokenizer)).to_dict()}
    config = GLiClassModelConfig(encoder_config=encoder_config(kind, vocab).to_dict(), vocab_size=vocab,
                                 encoder_model=f"tiny/{kind}",
                                 class_token_index=vocab - 3, text_token_index=vocab - 2,
                                 example_token_index=vocab - 1, **settings)
    model = GLiClassModel(config)
    randomize(model, seed)
    with torch.no_grad():
        model.model.logit_scale.fill_(1.7)
    model.eval()
    model.save_pretrained(out, safe_serialization=True)
    tokenizer.save_pretrained(out)
