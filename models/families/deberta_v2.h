// DeBERTa-v2 and v3: BERT's layers, with attention by content and position; segments, and positions at the input, only
// if the configuration says so; its own heads. The first version begins as a copy of it.
#pragma once

#include "models/config/attention_settings.h"
#include "models/families/bert.h"

namespace bert {

inline constexpr std::string_view kDebertaPrefixes[] = {"", "deberta.", "model.", "0.auto_model."};
inline constexpr std::string_view kDebertaIgnorable[] = {"embeddings.position_ids",
                                                         "embeddings.position_embeddings.weight",
                                                         "encoder.rel_embeddings.weight",
                                                         "encoder.LayerNorm.*",
                                                         "*.pos_key_proj.weight",
                                                         "*.pos_key_proj.bias",
                                                         "*.pos_query_proj.weight",
                                                         "*.pos_query_proj.bias",
                                                         "pooler.*",
                                                         "cls.*",
                                                         "lm_predictions.*",
                                                         "mask_predictions.*",
                                                         "classifier.*",
                                                         "qa_outputs.*"};
inline constexpr HeadNames kDebertaHeads[] = {
    kBertMaskedLm,
    // For files of the model's authors, with `legacy` false in config.json.
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .dense = "lm_predictions.lm_head.dense",
     .norm = "lm_predictions.lm_head.LayerNorm",
     .output = "lm_predictions.lm_head"},
    {.head = Head::kSequenceClassification,
     .input = HeadInput::kFirstToken,
     .dense = "pooler.dense",
     .activation = Activation::kGelu,
     .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice,
     .input = HeadInput::kFirstToken,
     .dense = "pooler.dense",
     .activation = Activation::kGelu,
     .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

constexpr Family make_deberta_v2() {
  Family deberta = kBert;
  deberta.model_type = "deberta-v2";
  deberta.class_prefix = "DebertaV2";
  deberta.tokenizer = {
      .files = TokenizerFiles::kSentencePiece,
      .beginning = "[CLS]",
      .end = "[SEP]",
      .pieces = {.text = PieceText::kComposed, .unknown = UnknownPiece::kNamedWithoutScore, .unknown_id = 1}};
  deberta.defaults.vocab_size = 128100;
  deberta.defaults.hidden_size = 1536;
  deberta.defaults.num_hidden_layers = 24;
  deberta.defaults.num_attention_heads = 24;
  deberta.defaults.intermediate_size = 6144;
  deberta.defaults.type_vocab_size = 0;
  deberta.defaults.layer_norm_eps = 1e-7;
  deberta.fields.type_vocab_size = nullptr;
  deberta.fields.position_embedding_type = nullptr;
  deberta.read_settings = read_disentangled_attention;
  deberta.weights.prefixes = kDebertaPrefixes;
  deberta.weights.ignorable = kDebertaIgnorable;
  deberta.names.query = "encoder.layer.{}.attention.self.query_proj";
  deberta.names.key = "encoder.layer.{}.attention.self.key_proj";
  deberta.names.value = "encoder.layer.{}.attention.self.value_proj";
  deberta.names.distance_embedding = "";
  deberta.names.distance_table = "encoder.rel_embeddings";
  deberta.names.distance_norm = "encoder.LayerNorm";
  deberta.names.distance_query = "encoder.layer.{}.attention.self.pos_query_proj";
  deberta.names.distance_key = "encoder.layer.{}.attention.self.pos_key_proj";
  deberta.names.convolution = "encoder.conv.conv";
  deberta.names.convolution_norm = "encoder.conv.LayerNorm";
  deberta.names.pooler = "";
  deberta.heads = kDebertaHeads;
  return deberta;
}

}  // namespace bert
