#include "program/cli/commands/inspect_config.h"

#include <vector>

#include "program/cli/common.h"

namespace bert::cli {
namespace {

std::vector<size_t> local_layers(const ModelConfig& config) {
  std::vector<size_t> layers;
  for (size_t layer = 0; layer < config.local_layers.size(); ++layer) {
    if (config.local_layers[layer]) layers.push_back(layer);
  }
  return layers;
}

}  // namespace

std::string config_json(const ModelConfig& config) {
  JsonWriter object;
  object.string("model_type", config.model_type);
  object.strings("architectures", config.architectures);
  object.number("vocab_size", config.vocab_size);
  object.number("hidden_size", config.hidden_size);
  object.number("num_hidden_layers", config.num_hidden_layers);
  object.number("num_attention_heads", config.num_attention_heads);
  if (config.experts) object.number("num_experts", config.experts->experts);
  if (config.experts) object.number("experts_of_a_token", config.experts->top_k);
  object.number("intermediate_size", config.intermediate_size);
  object.number("max_position_embeddings", config.max_position_embeddings);
  object.number("type_vocab_size", config.type_vocab_size);
  object.string("hidden_act", config.hidden_act);
  object.number("layer_norm_eps", config.layer_norm_eps);
  object.string("position_embedding_type", config.position_embedding_type);
  if (config.positions_at_every_layer) object.string("position_embeddings_at", "every-layer");
  if (config.key_value_heads() != config.num_attention_heads) {
    object.number("num_key_value_heads", config.key_value_heads());
  }
  if (config.position_embedding_type == "rotary") object.number("rotary_theta", config.rotary.theta);
  if (const std::vector<size_t> local = local_layers(config); !local.empty()) {
    object.numbers<size_t>("local_layers", local);
    object.number("local_distance", config.local_distance);
    if (config.position_embedding_type == "rotary") {
      object.number("local_rotary_theta", config.local_rotary.theta);
    }
  }
  return object.take();
}

}  // namespace bert::cli
