// ModernBERT's layer: a norm before each block, rotary positions, most layers local, a gate; no segments.
#pragma once

#include "models/families/common.h"

namespace bert {

inline constexpr std::string_view kModernBertPrefixes[] = {"", "model.", "0.auto_model."};
inline constexpr std::string_view kModernBertIgnorable[] = {"head.*", "decoder.*", "lm_head.*", "classifier.*"};
// Every head begins with the same dense layer and norm.
constexpr HeadNames modernbert_head(Head head, HeadInput input) {
  return {.head = head,
          .input = input,
          .dense = "head.dense",
          .dense_bias = Bias::kClassifier,
          .norm = "head.norm",
          .output = head == Head::kMaskedLm ? "decoder" : "classifier",
          .output_has_bias = head == Head::kMaskedLm ? Bias::kDecoder : HeadNames{}.output_has_bias};
}

// Reads everything but what a classifier reads and how far local layers see.
void read_modernbert_layers(const JsonObject& fields, ModelConfig& config);

constexpr Family make_modernbert(std::string_view model_type, std::string_view class_prefix,
                                 std::span<const HeadNames> heads,
                                 void (*read_settings)(const JsonObject&, ModelConfig&)) {
  return {
      .model_type = model_type,
      .class_prefix = class_prefix,
      .tokenizer = {.files = TokenizerFiles::kByteLevelBpe,
                    .mask_takes_space = true,
                    .json_reading = JsonReading::kAlwaysAsIs},
      .defaults = {.vocab_size = 50368,
                   .num_hidden_layers = 22,
                   .intermediate_size = 1152,
                   .max_position_embeddings = 8192,
                   .type_vocab_size = 1,
                   .layer_norm_eps = 1e-5,
                   .position_embedding_type = "rotary",
                   .pad_token_id = 50283},
      .fields = {.type_vocab_size = nullptr,
                 .hidden_act = "hidden_activation",
                 .layer_norm_eps = "norm_eps",
                 .position_embedding_type = nullptr},
      .read_settings = read_settings,
      .weights = {.anchor = "embeddings.tok_embeddings.weight",
                  .prefixes = kModernBertPrefixes,
                  .wrappers = kTrainingWrappers,
                  .ignorable = kModernBertIgnorable},
      .names = {.word_embeddings = "embeddings.tok_embeddings",
                .embeddings_norm = "embeddings.norm",
                .norm_before_attention = "layers.{}.attn_norm",
                .qkv = "layers.{}.attn.Wqkv",
                .attention_output = "layers.{}.attn.Wo",
                .norm_before_feed_forward = "layers.{}.mlp_norm",
                .feed_forward_up = "layers.{}.mlp.Wi",
                .stacked_gate = Gate::Activated::kFirst,
                .feed_forward_down = "layers.{}.mlp.Wo",
                .final_norm = "final_norm"},
      .norm_bias = Bias::kNorm,
      .first_layer_is_normed = false,
      .attention_bias = Bias::kAttention,
      .up_bias = Bias::kFeedForward,
      .down_bias = Bias::kFeedForward,
      .heads = heads,
  };
}

}  // namespace bert
