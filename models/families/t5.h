// The encoder of T5 and of models with its layer: a norm before each block (RMSNorm), no biases, scores that are not
// divided by the square root of the head's size, and a learned bias for each bucket of distances, in one table for all
// layers. The first version has one dense layer with ReLU in its feed-forward block, later versions a gate with GELU.
#pragma once

#include "models/families/common.h"

namespace bert {

inline constexpr std::string_view kT5Prefixes[] = {"", "transformer.", "model.", "0.auto_model."};
inline constexpr std::string_view kT5Ignorable[] = {"shared.weight", "encoder.embed_tokens.weight", "classifier.*"};
inline constexpr std::string_view kT5Reported[] = {"decoder.*", "lm_head.*", "classification_head.*", "qa_outputs.*"};
inline constexpr HeadNames kT5Heads[] = {
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"}};

// feed_forward_proj: used if config.json lacks it.
void read_t5_layers(const JsonObject& fields, const std::string& feed_forward_proj, ModelConfig& config);

constexpr Family make_t5(std::string_view model_type, std::string_view class_prefix,
                         void (*read_settings)(const JsonObject&, ModelConfig&)) {
  Family family = {
      .model_type = model_type,
      .class_prefix = class_prefix,
      .tokenizer = {.files = TokenizerFiles::kSentencePiece,
                    .unknown = "<unk>",
                    .separator = "",
                    .padding = "<pad>",
                    .classifier = "",
                    .mask = "",
                    .end = "</s>",
                    .template_kind = TemplateKind::kEnds,
                    .has_segments = false,
                    .has_segments_if_named = false,
                    .pieces = {.extra_ids = 100, .unknown_id = 2}},
      .fields = {.hidden_size = "d_model",
                 .num_hidden_layers = "num_layers",
                 .num_attention_heads = "num_heads",
                 .intermediate_size = "d_ff",
                 .max_position_embeddings = nullptr,
                 .type_vocab_size = nullptr,
                 .hidden_act = nullptr,
                 .layer_norm_eps = "layer_norm_epsilon",
                 .position_embedding_type = nullptr},
      .read_settings = read_settings,
      .weights = {.anchor = "encoder.block.0.layer.0.SelfAttention.q.weight",
                  .prefixes = kT5Prefixes,
                  .wrappers = kTrainingWrappers,
                  .ignorable = kT5Ignorable,
                  .reported = kT5Reported},
      .names = {.word_embeddings = "shared",
                .other_word_embeddings = "encoder.embed_tokens",
                .norm_before_attention = "encoder.block.{}.layer.0.layer_norm",
                .query = "encoder.block.{}.layer.0.SelfAttention.q",
                .key = "encoder.block.{}.layer.0.SelfAttention.k",
                .value = "encoder.block.{}.layer.0.SelfAttention.v",
                .attention_output = "encoder.block.{}.layer.0.SelfAttention.o",
                .norm_before_feed_forward = "encoder.block.{}.layer.1.layer_norm",
                .feed_forward_gate = "encoder.block.{}.layer.1.DenseReluDense.wi_0",
                .feed_forward_up = "encoder.block.{}.layer.1.DenseReluDense.wi_1",
                .feed_forward_down = "encoder.block.{}.layer.1.DenseReluDense.wo",
                .plain_up = "encoder.block.{}.layer.1.DenseReluDense.wi",
                .relative_bias = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias",
                .final_norm = "encoder.final_layer_norm"},
      .norm = NormKind::kRmsNorm,
      .norm_bias = Bias::kNever,
      .attention_bias = Bias::kNever,
      .up_bias = Bias::kNever,
      .down_bias = Bias::kNever,
      .heads = kT5Heads,
  };
  family.fields.usual_names_count = true;
  family.defaults.vocab_size = 32128;
  family.defaults.hidden_size = 512;
  family.defaults.num_hidden_layers = 6;
  family.defaults.num_attention_heads = 8;
  family.defaults.intermediate_size = 2048;
  family.defaults.type_vocab_size = 1;
  family.defaults.layer_norm_eps = 1e-6;
  family.defaults.position_embedding_type = "relative_bias_alone";
  return family;
}

}  // namespace bert
