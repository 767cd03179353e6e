// The encoder of BART and of models with its layers: BERT's layers, with a norm of the embeddings and no segments. The
// position table begins with two rows that no token has.
#pragma once

#include "models/families/common.h"

namespace bert {

inline constexpr std::string_view kBartPrefixes[] = {"", "model.", "0.auto_model."};
inline constexpr std::string_view kBartIgnorable[] = {"shared.weight", "encoder.embed_tokens.weight"};
inline constexpr std::string_view kBartReported[] = {"decoder.*", "final_logits_bias", "lm_head.*",
                                                     "classification_head.*", "qa_outputs.*"};

inline void read_bart(const JsonObject& fields, ModelConfig& config) {
  config.scales_embeddings = fields.nullable_boolean("scale_embedding").value_or(false);
}

constexpr Family make_bart(std::string_view model_type, std::string_view class_prefix) {
  Family family = {
      .model_type = model_type,
      .class_prefix = class_prefix,
      .tokenizer = {},
      .fields = {.hidden_size = "d_model",
                 .num_hidden_layers = "encoder_layers",
                 .num_attention_heads = "encoder_attention_heads",
                 .intermediate_size = "encoder_ffn_dim",
                 .type_vocab_size = nullptr,
                 .hidden_act = "activation_function",
                 .layer_norm_eps = nullptr,
                 .position_embedding_type = nullptr},
      .read_settings = read_bart,
      .weights = {.anchor = "encoder.embed_positions.weight",
                  .prefixes = kBartPrefixes,
                  .wrappers = kTrainingWrappers,
                  .ignorable = kBartIgnorable,
                  .reported = kBartReported},
      .names = {.word_embeddings = "shared",
                .other_word_embeddings = "encoder.embed_tokens",
                .position_embeddings = "encoder.embed_positions",
                .embeddings_norm = "encoder.layernorm_embedding",
                .query = "encoder.layers.{}.self_attn.q_proj",
                .key = "encoder.layers.{}.self_attn.k_proj",
                .value = "encoder.layers.{}.self_attn.v_proj",
                .attention_output = "encoder.layers.{}.self_attn.out_proj",
                .norm_after_attention = "encoder.layers.{}.self_attn_layer_norm",
                .feed_forward_up = "encoder.layers.{}.fc1",
                .feed_forward_down = "encoder.layers.{}.fc2",
                .norm_after_feed_forward = "encoder.layers.{}.final_layer_norm"},
      .first_position_row = 2,
  };
  family.defaults.vocab_size = 50265;
  family.defaults.hidden_size = 1024;
  family.defaults.num_attention_heads = 16;
  family.defaults.intermediate_size = 4096;
  family.defaults.max_position_embeddings = 1024;
  family.defaults.type_vocab_size = 1;
  family.defaults.layer_norm_eps = 1e-5;
  family.defaults.pad_token_id = 1;
  family.fields.usual_names_count = true;
  return family;
}

}  // namespace bert
