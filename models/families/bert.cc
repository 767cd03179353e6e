// BERT as the reference library and Google's converted checkpoints name its weights.
#include "models/family.h"

namespace bert {

const Family& bert_family() {
  static const Family family = {
      .model_type = "bert",
      .class_prefix = "Bert",
      .tokenizer = {.usual = true, .processing = "BertProcessing"},
      .defaults = {},
      .fields = {},
      .weights = {.anchor = "embeddings.word_embeddings.weight",
                  .prefixes = {"", "bert.", "model.", "0.auto_model."},
                  .wrappers = {"module.", "_orig_mod."},
                  .endings = {{"LayerNorm.gamma", "LayerNorm.weight"}, {"LayerNorm.beta", "LayerNorm.bias"}},
                  .ignorable = {"embeddings.position_ids", "embeddings.token_type_ids",
                                "embeddings.position_embeddings.weight", "*.distance_embedding.weight", "pooler.*",
                                "cls.*", "classifier.*", "qa_outputs.*"}},
      .word_embeddings = "embeddings.word_embeddings",
      .token_type_embeddings = "embeddings.token_type_embeddings",
      .position_embeddings = "embeddings.position_embeddings",
      .embeddings_norm = "embeddings.LayerNorm",
      .query = "encoder.layer.{}.attention.self.query",
      .key = "encoder.layer.{}.attention.self.key",
      .value = "encoder.layer.{}.attention.self.value",
      .attention_output = "encoder.layer.{}.attention.output.dense",
      .attention_norm = "encoder.layer.{}.attention.output.LayerNorm",
      .feed_forward_up = "encoder.layer.{}.intermediate.dense",
      .feed_forward_down = "encoder.layer.{}.output.dense",
      .output_norm = "encoder.layer.{}.output.LayerNorm",
      .distance_embedding = "encoder.layer.{}.attention.self.distance_embedding",
      .pooler = "pooler.dense",
      .heads = {{.head = Head::kMaskedLm,
                 .input = HeadInput::kEachToken,
                 .dense = "cls.predictions.transform.dense",
                 .norm = "cls.predictions.transform.LayerNorm",
                 .output = "cls.predictions.decoder",
                 .output_bias = "cls.predictions.bias"},
                {.head = Head::kNextSentence, .input = HeadInput::kPooled, .output = "cls.seq_relationship"},
                {.head = Head::kSequenceClassification, .input = HeadInput::kPooled, .output = "classifier"},
                {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
                {.head = Head::kMultipleChoice, .input = HeadInput::kPooled, .output = "classifier"},
                {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}},
  };
  return family;
}

}  // namespace bert
