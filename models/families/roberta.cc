// RoBERTa: BERT's layers; positions count the tokens that are not padding; heads of its own.
#include "models/family.h"

namespace bert {

const Family& roberta_family() {
  static const Family family = [] {
    Family roberta = bert_family();
    roberta.model_type = "roberta";
    roberta.class_prefix = "Roberta";
    roberta.tokenizer = {.files = TokenizerFiles::kByteLevelBpe,
                         .usual = true,
                         .unknown = "<unk>",
                         .separator = "</s>",
                         .padding = "<pad>",
                         .classifier = "<s>",
                         .mask = "<mask>",
                         .mask_takes_space = true,
                         .template_kind = TemplateKind::kDoubleSeparator,
                         .processing = "RobertaProcessing"};
    roberta.defaults.model_type = "roberta";
    roberta.defaults.vocab_size = 50265;
    roberta.defaults.pad_token_id = 1;
    roberta.positions_skip_padding = true;
    roberta.weights.prefixes = {"", "roberta.", "model.", "0.auto_model."};
    roberta.weights.ignorable = {"embeddings.position_ids",
                                 "embeddings.token_type_ids",
                                 "embeddings.position_embeddings.weight",
                                 "*.distance_embedding.weight",
                                 "pooler.*",
                                 "lm_head.*",
                                 "classifier.*",
                                 "qa_outputs.*"};
    roberta.heads = {{.head = Head::kMaskedLm,
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
    return roberta;
  }();
  return family;
}

}  // namespace bert
