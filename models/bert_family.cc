// BERT as the reference library and Google's converted checkpoints name its weights.
#include "models/family.h"

namespace bert {

const Family& bert_family() {
  static const Family family = {
      .model_type = "bert",
      .weights = {.anchor = "embeddings.word_embeddings.weight",
                  .prefixes = {"", "bert.", "model.", "0.auto_model."},
                  .wrappers = {"module.", "_orig_mod."},
                  .endings = {{"LayerNorm.gamma", "LayerNorm.weight"}, {"LayerNorm.beta", "LayerNorm.bias"}},
                  .ignorable = {"embeddings.position_ids", "embeddings.token_type_ids", "pooler.*", "cls.*",
                                "classifier.*", "qa_outputs.*"}},
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
      .pooler = "pooler.dense",
  };
  return family;
}

}  // namespace bert
