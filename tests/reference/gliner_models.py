"""Makes tiny random GLiNER models with the reference's own classes, in the form of its directories. Needs gliner."""

import pathlib

from gliner import GLiNER
from gliner.config import BiEncoderSpanConfig, BiEncoderTokenConfig, UniEncoderSpanConfig, UniEncoderTokenConfig
from gliner.model import BiEncoderSpanGLiNER, BiEncoderTokenGLiNER, UniEncoderSpanGLiNER, UniEncoderTokenGLiNER

from reference.random_encoders import SIZES, encoder_config, randomize, tokenizer_of

# For each form's name: the encoder, and the settings that differ from the defaults.
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
    """Returns the reference's model."""
    return GLiNER.from_pretrained(str(directory), load_tokenizer=True, local_files_only=True)
