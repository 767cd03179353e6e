// ELECTRA: BERT's layers, embeddings with their own size, no pooler; the heads of discriminator and generator. ConvBERT
// begins as a copy of it.
#pragma once

#include <string>
#include <vector>

#include "models/config/attention_settings.h"
#include "models/families/bert.h"

namespace bert {

inline constexpr std::string_view kElectraPrefixes[] = {"", "electra.", "model.", "0.auto_model."};
inline constexpr std::string_view kElectraIgnorable[] = {"embeddings.position_ids",
                                                         "embeddings.token_type_ids",
                                                         "embeddings.position_embeddings.weight",
                                                         "*.distance_embedding.weight",
                                                         "discriminator_predictions.*",
                                                         "generator_predictions.*",
                                                         "generator_lm_head.*",
                                                         "sequence_summary.*",
                                                         "classifier.*",
                                                         "qa_outputs.*"};
inline constexpr HeadNames kElectraHeads[] = {
    {.head = Head::kReplacedTokens,
     .input = HeadInput::kEachToken,
     .dense = "discriminator_predictions.dense",
     .output = "discriminator_predictions.dense_prediction"},
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .dense = "generator_predictions.dense",
     .activation = Activation::kGelu,
     .norm = "generator_predictions.LayerNorm",
     .output = "generator_lm_head"},
    {.head = Head::kSequenceClassification,
     .input = HeadInput::kFirstToken,
     .dense = "classifier.dense",
     .activation = Activation::kGelu,
     .output = "classifier.out_proj"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice,
     .input = HeadInput::kClassifierPooling,
     .dense = "sequence_summary.summary",
     .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

// Reads the settings of the multiple-choice head's input (ElectraSequenceSummary): its token, projection and
// activation.
inline void read_electra(const JsonObject& fields, ModelConfig& config) {
  const std::vector<std::string>& classes = config.architectures;
  if (!classes.empty() && !classes[0].ends_with("ForMultipleChoice")) return;
  config.classifier_pooling = read_classifier_pooling(fields, "summary_type", {"first", "mean"});
  require(fields, "summary_use_proj", true);
  config.classifier_activation = "gelu";
  if (!fields.has("summary_activation")) return;
  config.classifier_activation = fields.nullable_string("summary_activation").value_or("");
  if (config.classifier_activation.empty()) config.classifier_activation = "linear";
  require_activation(fields, "summary_activation", config.classifier_activation);
}

constexpr Family make_electra() {
  Family electra = kBert;
  electra.model_type = "electra";
  electra.class_prefix = "Electra";
  electra.tokenizer = {};
  electra.defaults.hidden_size = 256;
  electra.defaults.num_attention_heads = 4;
  electra.defaults.intermediate_size = 1024;
  electra.defaults.embedding_size = 128;
  electra.fields.embedding_size = "embedding_size";
  electra.weights.prefixes = kElectraPrefixes;
  electra.weights.ignorable = kElectraIgnorable;
  electra.names.embedding_projection = "embeddings_project";
  electra.names.pooler = "";
  electra.heads = kElectraHeads;
  electra.read_settings = read_electra;
  return electra;
}

}  // namespace bert
