// The architecture of an encoder, as config.json gives it. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bert {

struct ModelConfig {
  std::string model_type = "bert";
  std::vector<std::string> architectures;  // class names, as the file lists them; may be empty
  size_t vocab_size = 30522;
  size_t hidden_size = 768;
  size_t num_hidden_layers = 12;
  size_t num_attention_heads = 12;
  size_t intermediate_size = 3072;
  size_t max_position_embeddings = 512;
  size_t type_vocab_size = 2;
  std::string hidden_act = "gelu";
  double layer_norm_eps = 1e-12;
  std::string position_embedding_type = "absolute";
  int32_t pad_token_id = 0;
  bool tie_word_embeddings = true;
  std::vector<std::string> labels = {"LABEL_0", "LABEL_1"};  // of a classification head, by index
  std::string problem_type;  // "regression", "single_label_classification", "multi_label_classification"; "": not said

  size_t head_dim() const { return hidden_size / num_attention_heads; }
};

}  // namespace bert
