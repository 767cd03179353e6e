"""Makes tiny random GLiNER2 models with the reference's own classes, in the form of its directories. Needs gliner2."""

import pathlib

from gliner2 import AutoExtractor
from gliner2.configuration import ExtractorConfig
from gliner2.inference.engine import BoundaryExtractor, SpanExtractor
from reference.random_encoders import encoder_config, randomize, tokenizer_of, unigram_tokenizer

POSITIONS = 4096  # the reference has no limit of tokens
# For each form's name: the encoder, and the settings that differ from the defaults.
FORMS = {
    "span": {"encoder": "deberta"},
    "span-v2": {"encoder": "bert", "counting_layer": "count_lstm_v2", "token_pooling": "mean", "max_width": 5},
    "span-moe": {"encoder": "roberta", "counting_layer": "count_lstm_moe", "token_pooling": "max",
                 "span_head": {"max_width": 12}},
    "span-words": {"encoder": "modernbert", "counting_layer": "count_lstm_v2"},
    "boundary": {"encoder": "deberta", "boundary_head": {}},
    "boundary-plain": {"encoder": "bert", "token_pooling": "mean", "boundary_head": {
        "enable_records": False, "enable_relations": False, "enable_abstention": False, "enable_count_head": False,
        "use_inside_evidence": False, "bidirectional_proposals": False, "boundary_refinement_layers": 0,
        "multihead_pair_compat_heads": 1, "boundary_dim": 48, "pair_dim": 40, "candidate_budget": 24,
        "training_candidate_budget": 32, "overlap_policy": "nested", "pair_temperature": 1.7,
        "classification_temperature": 0.6}},
    "boundary-rotary": {"encoder": "roberta", "token_pooling": "max", "boundary_head": {
        "boundary_dim": 32, "pair_dim": 48, "enable_rotary_endpoints": True, "endpoint_difference_features": True,
        "enable_span_content": True, "content_dim": 24, "boundary_attention_layers": 2, "boundary_attention_window": 7,
        "query_conditioned_inside_weight": True, "boundary_top_k_alpha": 0.1, "overlap_policy": "longest"}},
    "boundary-content": {"encoder": "modernbert", "boundary_head": {
        "boundary_dim": 40, "pair_dim": 32, "enable_span_content": True, "content_soft_max_pool": True,
        "content_dim": 16, "boundary_attention_layers": 1, "reranker_endpoint_compat": False,
        "adaptive_threshold": True, "abstention_threshold": 0.55, "boundary_refinement_layers": 2}},
    "boundary-shared": {"encoder": "deberta", "boundary_head": {
        "candidate_pool": "shared", "boundary_dim": 32, "pair_dim": 32, "enable_span_content": True,
        "content_dim": 24, "abstention_threshold": 0.6}},
    "boundary-pool": {"encoder": "bert", "boundary_head": {
        "candidate_pool": "shared", "boundary_dim": 24, "pair_dim": 40, "candidate_attention_layers": 0,
        "query_attention_layers": 2, "pool_size": 60, "pool_boundary_top_k": 20, "min_pool_per_query": 3,
        "use_inside_evidence": False, "enable_abstention": False}},
}


def make(form: str, out: pathlib.Path, data: pathlib.Path, seed: int = 1) -> None:
    """Writes a model of the form, with its tokenizer and its weights as safetensors. data: folder of tokenizers."""
    settings = dict(FORMS[form])
    kind = settings.pop("encoder")
    tokenizer = unigram_tokenizer(data) if kind == "deberta" else tokenizer_of(kind, data)
    is_boundary = "boundary_head" in settings
    config = ExtractorConfig(model_name=f"tiny/{kind}", architecture="boundary" if is_boundary else "span", **settings)
    model_class = BoundaryExtractor if is_boundary else SpanExtractor
    model = model_class(config, encoder_config=encoder_config(kind, len(tokenizer), POSITIONS),
                        tokenizer=tokenizer)
    randomize(model, seed)
    if not is_boundary:
        model.count_pred[2].bias.data[0] -= 1.0  # makes texts without entities rare
    model.eval()
    model.save_pretrained(str(out))


def load(directory: pathlib.Path):
    """Returns the reference's model."""
    return AutoExtractor.from_pretrained(str(directory)).eval()
