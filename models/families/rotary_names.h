// The tensor names of the reference library for encoders with rotary positions and, as in BERT, a norm after each
// sub-layer: GTE, Nomic BERT; Jina embeddings v3 has other names of the feed-forward network.
#pragma once

#include "models/config/family.h"

namespace bert {

inline constexpr EncoderNames kReferenceRotaryNames = {.word_embeddings = "embeddings.word_embeddings",
                                                       .token_type_embeddings = "embeddings.token_type_embeddings",
                                                       .embeddings_norm = "embeddings.LayerNorm",
                                                       .query = "layers.{}.self_attn.q_proj",
                                                       .key = "layers.{}.self_attn.k_proj",
                                                       .value = "layers.{}.self_attn.v_proj",
                                                       .attention_output = "layers.{}.self_attn.o_proj",
                                                       .norm_after_attention = "layers.{}.post_attention_layernorm",
                                                       .feed_forward_gate = "layers.{}.mlp.gate_proj",
                                                       .feed_forward_up = "layers.{}.mlp.up_proj",
                                                       .feed_forward_down = "layers.{}.mlp.down_proj",
                                                       .norm_after_feed_forward = "layers.{}.post_mlp_layernorm",
                                                       .pooler = "pooler.dense"};

}  // namespace bert
