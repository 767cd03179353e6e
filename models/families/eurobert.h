// EuroBERT and models with its layer: a norm before each block (RMSNorm), rotary positions, shared keys, a gate, and no
// norm of the embeddings.
#pragma once

#include "models/config/attention_settings.h"
#include "models/families/common.h"

namespace bert {

constexpr Family make_eurobert(std::string_view model_type, std::string_view class_prefix,
                               std::span<const std::string_view> prefixes, std::span<const std::string_view> ignorable,
                               std::span<const HeadNames> heads,
                               void (*read_settings)(const JsonObject&, ModelConfig&)) {
  Family family = {
      .model_type = model_type,
      .class_prefix = class_prefix,
      .tokenizer = {.files = TokenizerFiles::kTokenizerJson, .json_reading = JsonReading::kNoClass},
      .weights = {.anchor = "embed_tokens.weight",
                  .prefixes = prefixes,
                  .wrappers = kTrainingWrappers,
                  .ignorable = ignorable},
      .names = {.word_embeddings = "embed_tokens",
                .norm_before_attention = "layers.{}.input_layernorm",
                .query = "layers.{}.self_attn.q_proj",
                .key = "layers.{}.self_attn.k_proj",
                .value = "layers.{}.self_attn.v_proj",
                .attention_output = "layers.{}.self_attn.o_proj",
                .norm_before_feed_forward = "layers.{}.post_attention_layernorm",
                .feed_forward_gate = "layers.{}.mlp.gate_proj",
                .feed_forward_up = "layers.{}.mlp.up_proj",
                .feed_forward_down = "layers.{}.mlp.down_proj",
                .final_norm = "norm"},
      .norm = NormKind::kRmsNorm,
      .norm_bias = Bias::kNever,
      .attention_bias = Bias::kAttention,
      .up_bias = Bias::kFeedForward,
      .down_bias = Bias::kFeedForward,
      .heads = heads,
  };
  family.defaults.type_vocab_size = 1;
  family.defaults.hidden_act = "silu";
  family.defaults.position_embedding_type = "rotary";
  family.fields.type_vocab_size = nullptr;
  family.fields.layer_norm_eps = "rms_norm_eps";
  family.fields.position_embedding_type = nullptr;
  family.read_settings = read_settings;
  return family;
}

inline void read_eurobert_layers(const JsonObject& fields, ModelConfig& config, HeadSize size) {
  config.attention_bias = fields.boolean("attention_bias").value_or(false);
  config.mlp_bias = fields.boolean("mlp_bias").value_or(false);
  read_heads(fields, config, size);
}

}  // namespace bert
