"""Makes directories that look like GLiNER and GLiClass models: a tiny BERT of random weights, and the layers beside it.
Uses only the standard library."""

from pathlib import Path

from support.look_alike_tokenizers import write_json
from support.look_alike_weights import HEADS, HIDDEN, INTERMEDIATE, LAYERS, bert_encoder, dense, write_safetensors

MARKERS = ["[FLERT]", "<<ENT>>", "<<SEP>>"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, *("the quick brown fox jumps over lazy dog ada lovelace lived in london and wrote to person city . "
                     "animal").split()]


def two_layers(name: str, width: int) -> dict[str, list[int]]:
    """Returns the tensors of a dense layer, an activation, dropout, and another dense layer."""
    return dense(name + ".0", 4 * HIDDEN, width) | dense(name + ".3", HIDDEN, 4 * HIDDEN)


def write_tokenizer(folder: Path, markers: list[str]) -> None:
    """Writes a WordPiece vocabulary in which these markers follow the words."""
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 64,
        "added_tokens_decoder": {str(len(WORDS) + i): {"content": marker, "special": True}
                                 for i, marker in enumerate(markers)}})
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")


def encoder_config(vocabulary: int) -> dict:
    """Returns the configuration of a tiny BERT."""
    return {"model_type": "bert", "vocab_size": vocabulary, "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS, "intermediate_size": INTERMEDIATE, "max_position_embeddings": 64}


def write_gliner(folder: Path, form: str = "model.safetensors") -> str:
    """Writes a GLiNER model. form: the name of the file of weights; if it is not model.safetensors, the caller must
    write that file."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = len(WORDS) + len(MARKERS)
    encoder = encoder_config(vocabulary)
    tensors = {f"token_rep_layer.bert_layer.model.{name}": shape for name, shape in bert_encoder(encoder).items()}
    for direction in ("", "_reverse"):
        tensors |= {f"rnn.lstm.weight_ih_l0{direction}": [2 * HIDDEN, HIDDEN],
                    f"rnn.lstm.weight_hh_l0{direction}": [2 * HIDDEN, HIDDEN // 2],
                    f"rnn.lstm.bias_ih_l0{direction}": [2 * HIDDEN], f"rnn.lstm.bias_hh_l0{direction}": [2 * HIDDEN]}
    layer = "span_rep_layer.span_rep_layer."
    tensors |= two_layers(layer + "project_start", HIDDEN) | two_layers(layer + "project_end", HIDDEN)
    tensors |= two_layers(layer + "out_project", 2 * HIDDEN) | two_layers("prompt_rep_layer", HIDDEN)
    write_json(folder / "gliner_config.json", {
        "model_type": "gliner_uni_encoder_span", "model_name": "google-bert/bert-base-uncased", "hidden_size": HIDDEN,
        "max_width": 3, "class_token_index": vocabulary - 2, "vocab_size": vocabulary, "encoder_config": encoder})
    write_tokenizer(folder, MARKERS)
    if form == "model.safetensors":
        write_safetensors(folder / form, tensors, seed=2)
    return str(folder)


def write_gliclass(folder: Path) -> str:
    """Writes a GLiClass uni-encoder, with the labels before the text and the scorer "simple"."""
    folder.mkdir(parents=True, exist_ok=True)
    encoder = encoder_config(len(WORDS) + 2)
    tensors = {f"model.encoder_model.{name}": shape for name, shape in bert_encoder(encoder).items()}
    for projector in ("text_projector", "classes_projector"):
        tensors |= dense(f"model.{projector}.linear_1", HIDDEN, HIDDEN)
        tensors |= dense(f"model.{projector}.linear_2", HIDDEN, HIDDEN)
    tensors["model.logit_scale"] = []
    write_json(folder / "config.json", {
        "model_type": "GLiClass", "architectures": ["GLiClassModel"], "architecture_type": "uni-encoder",
        "prompt_first": True, "hidden_size": HIDDEN, "encoder_config": encoder, "class_token_index": len(WORDS),
        "text_token_index": len(WORDS) + 1})
    write_tokenizer(folder, ["<<LABEL>>", "<<SEP>>"])
    write_safetensors(folder / "model.safetensors", tensors, seed=4)
    return str(folder)
