// Makes the files of a BART from a tiny BERT with the same layers.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tests/models/family_check.h"

namespace bert::test {

inline std::vector<float> floats_of(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Adds two rows before the positions and an unused tensor of a decoder. Removes the segments and the pooler.
inline FamilyFiles as_bart(FamilyFiles files) {
  std::erase_if(files.tensors, [](const TestTensor& tensor) {
    return tensor.name.find("token_type_embeddings") != std::string::npos ||
           tensor.name.find("pooler") != std::string::npos;
  });
  files.rename("embeddings.word_embeddings", "shared");
  files.rename("embeddings.position_embeddings", "encoder.embed_positions");
  files.rename("embeddings.LayerNorm", "encoder.layernorm_embedding");
  files.rename("encoder.layer.", "encoder.layers.");
  files.rename("attention.self.query", "self_attn.q_proj");
  files.rename("attention.self.key", "self_attn.k_proj");
  files.rename("attention.self.value", "self_attn.v_proj");
  files.rename("attention.output.dense", "self_attn.out_proj");
  files.rename("attention.output.LayerNorm", "self_attn_layer_norm");
  files.rename("intermediate.dense", "fc1");
  files.rename("output.dense", "fc2");
  files.rename("output.LayerNorm", "final_layer_norm");
  for (TestTensor& tensor : files.tensors) {
    if (tensor.name.starts_with("bert.")) tensor.name = tensor.name.substr(5);
    tensor.name = "model." + tensor.name;
    if (tensor.name != "model.encoder.embed_positions.weight") continue;
    const std::vector<float> rows(2 * tensor.shape[1], 9.0f);
    tensor.data = bytes_of(rows) + tensor.data;
    tensor.shape[0] += 2;
  }
  files.tensors.push_back({"model.decoder.embed_positions.weight", "F32", {1}, bytes_of(std::vector<float>(1))});
  nlohmann::json& config = files.config;
  for (const auto& [from, to] : {std::pair{"hidden_size", "d_model"},
                                 {"num_hidden_layers", "encoder_layers"},
                                 {"num_attention_heads", "encoder_attention_heads"},
                                 {"intermediate_size", "encoder_ffn_dim"},
                                 {"hidden_act", "activation_function"}}) {
    config[to] = config[from];
    config.erase(from);
  }
  config["model_type"] = "bart";
  config["architectures"] = {"BartModel"};
  return files;
}

inline std::vector<float> states_of(const TemporaryDirectory& directory, const std::vector<int32_t>& ids) {
  const TokenSequence one{ids};
  return Model::load(directory.path().string(), {.threads = 2}).encode({&one, 1})[0].last_hidden_state;
}

}  // namespace bert::test
