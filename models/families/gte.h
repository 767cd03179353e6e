// GTE of 2024: BERT's norms with rotary positions and a gate. model_type "new" in the files of the authors, "gte" in
// those of the reference library. Also arctic-embed m v2 and stella-400M.
#pragma once

#include "models/config/attention_settings.h"
#include "models/families/common.h"
#include "models/families/rotary_names.h"

namespace bert {

inline constexpr std::string_view kGtePrefixes[] = {"", "new.", "gte.", "model.", "0.auto_model."};
inline constexpr std::string_view kGteIgnorable[] = {"pooler.*", "lm_head.*", "classifier.*"};
inline constexpr HeadNames kGteHeads[] = {
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .dense = "lm_head.dense",
     .activation = Activation::kGelu,
     .norm = "lm_head.norm",
     .output = "lm_head.decoder"},
    {.head = Head::kSequenceClassification, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

constexpr RenamedPart kGteRenamed[] = {{"encoder.layer", "layers"},
                                       {"attention.qkv_proj", "self_attn.q_proj"},
                                       {"attention.o_proj", "self_attn.o_proj"},
                                       {"mlp.up_gate_proj", "mlp.up_proj"}};

constexpr Family make_gte(std::string_view model_type, std::string_view class_prefix,
                          void (*read_settings)(const JsonObject&, ModelConfig&)) {
  Family gte = {
      .model_type = model_type,
      .class_prefix = class_prefix,
      .tokenizer = {},
      .weights = {.anchor = "embeddings.word_embeddings.weight",
                  .prefixes = kGtePrefixes,
                  .wrappers = kTrainingWrappers,
                  .endings = kLayerNormEndings,
                  .ignorable = kGteIgnorable},
      .names = {.word_embeddings = "embeddings.word_embeddings",
                .token_type_embeddings = "embeddings.token_type_embeddings",
                .embeddings_norm = "embeddings.LayerNorm",
                .qkv = "encoder.layer.{}.attention.qkv_proj",
                .attention_output = "encoder.layer.{}.attention.o_proj",
                .norm_after_attention = "encoder.layer.{}.attn_ln",
                .feed_forward_up = "encoder.layer.{}.mlp.up_gate_proj",
                .stacked_gate = Gate::Activated::kSecond,
                .feed_forward_down = "encoder.layer.{}.mlp.down_proj",
                .norm_after_feed_forward = "encoder.layer.{}.mlp_ln",
                .pooler = "pooler.dense"},
      .other_names = &kReferenceRotaryNames,
      .up_bias = Bias::kNever,
      .heads = kGteHeads,
      .renamed_parts = kGteRenamed,
  };
  gte.defaults.position_embedding_type = "rotary";
  gte.fields.type_vocab_size = nullptr;
  gte.fields.position_embedding_type = nullptr;
  gte.read_settings = read_settings;
  return gte;
}

// Reads the number of types; 0 types: there is no type table.
inline void read_gte_types(const JsonObject& fields, ModelConfig& config) {
  config.type_vocab_size = static_cast<size_t>(fields.integer("type_vocab_size", {.min = 0, .max = 65536}).value_or(1));
}

}  // namespace bert
