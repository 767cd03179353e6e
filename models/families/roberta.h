// RoBERTa: BERT's layers; positions count the tokens that are not padding; its own heads. Families with RoBERTa's names
// begin as a copy of it.
#pragma once

#include "models/families/bert.h"

namespace bert {

inline constexpr std::string_view kRobertaPrefixes[] = {"", "roberta.", "model.", "0.auto_model."};
inline constexpr std::string_view kRobertaIgnorable[] = {"embeddings.position_ids",
                                                         "embeddings.token_type_ids",
                                                         "embeddings.position_embeddings.weight",
                                                         "*.distance_embedding.weight",
                                                         "pooler.*",
                                                         "lm_head.*",
                                                         "classifier.*",
                                                         "qa_outputs.*"};
inline constexpr HeadNames kRobertaHeads[] = {
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .dense = "lm_head.dense",
     .activation = Activation::kGelu,
     .norm = "lm_head.layer_norm",
     .output = "lm_head.decoder",
     .output_bias = "lm_head.bias"},
    {.head = Head::kSequenceClassification,
     .input = HeadInput::kFirstToken,
     .dense = "classifier.dense",
     .activation = Activation::kTanh,
     .output = "classifier.out_proj"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

constexpr Family make_roberta() {
  Family roberta = kBert;
  roberta.model_type = "roberta";
  roberta.class_prefix = "Roberta";
  roberta.names_sentence_file = true;
  roberta.tokenizer = {.files = TokenizerFiles::kByteLevelBpe,
                       .usual = true,
                       .unknown = "<unk>",
                       .separator = "</s>",
                       .padding = "<pad>",
                       .classifier = "<s>",
                       .mask = "<mask>",
                       .beginning = "<s>",
                       .end = "</s>",
                       .template_kind = TemplateKind::kDoubleSeparator,
                       .has_segments = false,
                       .has_segments_if_named = false,
                       .processing = "RobertaProcessing"};
  roberta.defaults.vocab_size = 50265;
  roberta.defaults.pad_token_id = 1;
  roberta.positions_skip_padding = true;
  roberta.weights.prefixes = kRobertaPrefixes;
  roberta.weights.ignorable = kRobertaIgnorable;
  roberta.heads = kRobertaHeads;
  return roberta;
}

// XLM-RoBERTa's own tokens come before the pieces of its SentencePiece file, and "<mask>" after them.
inline constexpr ScoredToken kXlmRobertaLeading[] = {{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}};
inline constexpr PieceMapping kXlmRobertaPieces = {
    .leading = kXlmRobertaLeading, .first_piece = 3, .mask_at_end = true, .unknown_id = 3};

// Makes a family like RoBERTa, with another name and a SentencePiece tokenizer.
constexpr Family make_sentencepiece_roberta(std::string_view model_type, std::string_view class_prefix,
                                            const PieceMapping& pieces) {
  Family family = make_roberta();
  family.model_type = model_type;
  family.class_prefix = class_prefix;
  family.tokenizer.files = TokenizerFiles::kSentencePiece;
  family.tokenizer.usual = false;
  family.tokenizer.template_has_ends = true;
  family.tokenizer.pieces = pieces;
  family.defaults.vocab_size = 30522;
  return family;
}

}  // namespace bert
