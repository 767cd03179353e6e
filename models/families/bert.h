// BERT with the tensor names of the reference library and Google's converted checkpoints. Families with BERT's layers
// begin as a copy of it.
#pragma once

#include "models/families/common.h"

namespace bert {

inline constexpr std::string_view kBertPrefixes[] = {"", "bert.", "model.", "0.auto_model."};
inline constexpr std::string_view kBertIgnorable[] = {"embeddings.position_ids",
                                                      "embeddings.token_type_ids",
                                                      "embeddings.position_embeddings.weight",
                                                      "*.distance_embedding.weight",
                                                      "pooler.*",
                                                      "cls.*",
                                                      "classifier.*",
                                                      "qa_outputs.*"};
inline constexpr HeadNames kBertMaskedLm = {.head = Head::kMaskedLm,
                                            .input = HeadInput::kEachToken,
                                            .dense = "cls.predictions.transform.dense",
                                            .norm = "cls.predictions.transform.LayerNorm",
                                            .output = "cls.predictions.decoder",
                                            .output_bias = "cls.predictions.bias"};
inline constexpr HeadNames kBertHeads[] = {
    kBertMaskedLm,
    {.head = Head::kNextSentence, .input = HeadInput::kPooled, .output = "cls.seq_relationship"},
    {.head = Head::kSequenceClassification, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

inline constexpr Family kBert = {
    .model_type = "bert",
    .class_prefix = "Bert",
    .tokenizer = {.usual = true, .processing = "BertProcessing"},

    .weights = {.anchor = "embeddings.word_embeddings.weight",
                .prefixes = kBertPrefixes,
                .wrappers = kTrainingWrappers,
                .endings = kLayerNormEndings,
                .ignorable = kBertIgnorable},
    .names = {.word_embeddings = "embeddings.word_embeddings",
              .token_type_embeddings = "embeddings.token_type_embeddings",
              .position_embeddings = "embeddings.position_embeddings",
              .embeddings_norm = "embeddings.LayerNorm",
              .query = "encoder.layer.{}.attention.self.query",
              .key = "encoder.layer.{}.attention.self.key",
              .value = "encoder.layer.{}.attention.self.value",
              .attention_output = "encoder.layer.{}.attention.output.dense",
              .norm_after_attention = "encoder.layer.{}.attention.output.LayerNorm",
              .feed_forward_up = "encoder.layer.{}.intermediate.dense",
              .feed_forward_down = "encoder.layer.{}.output.dense",
              .norm_after_feed_forward = "encoder.layer.{}.output.LayerNorm",
              .distance_embedding = "encoder.layer.{}.attention.self.distance_embedding",
              .pooler = "pooler.dense"},
    .heads = kBertHeads,
};

}  // namespace bert
