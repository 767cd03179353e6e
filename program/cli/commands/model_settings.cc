#include "program/cli/commands/model_settings.h"

#include <algorithm>
#include <vector>

#include "bert/token_vectors.h"
#include "program/cli/common.h"
#include "program/cli/output/console.h"

namespace bert::cli {
namespace {

std::vector<size_t> local_layers(const ModelConfig& config) {
  std::vector<size_t> layers;
  for (size_t layer = 0; layer < config.local_layers.size(); ++layer) {
    if (config.local_layers[layer]) layers.push_back(layer);
  }
  return layers;
}

// Returns a description of how the model's files make sparse vectors; "": they do not say it.
std::string sparse_module(const Model& model) {
  try {
    const SparseSettings settings = model.sparse();
    return settings.declared ? settings.module : "";
  } catch (const Error&) {
    return "";
  }
}

std::string mode_names(const PoolingSettings& pooling, const std::string& between) {
  return joined(pooling.modes, between, [](PoolingMode mode) { return name(mode); });
}

std::string pooling_text(const PoolingSettings& pooling) {
  if (!pooling.unsupported.empty()) return "as --pooling says: " + one_line(pooling.unsupported);
  std::string text = mode_names(pooling, " and ") + (pooling.normalize ? ", normalised" : ", not normalised");
  if (pooling.dimensions) text += ", its first " + std::to_string(*pooling.dimensions) + " numbers";
  return text + (pooling.declared ? "" : " (the default: the model's files do not say)");
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

std::vector<std::pair<std::string, std::string>> vector_lines(const Model& model) {
  const PoolingSettings pooling = model.pooling();
  std::vector<std::pair<std::string, std::string>> lines = {{"sentence vector", pooling_text(pooling)}};
  if (!pooling.modules.empty()) lines.emplace_back("modules", joined(pooling.modules, "; "));
  const std::vector<Head>& heads = model.heads();
  const bool fills_masks = std::find(heads.begin(), heads.end(), Head::kMaskedLm) != heads.end();
  if (std::string sparse = sparse_module(model); !sparse.empty()) {
    lines.emplace_back("sparse vector", sparse);
  } else if (fills_masks && !pooling.declared) {
    lines.emplace_back("sparse vector", "by the masked LM head, for a SPLADE model: --kind sparse");
  }
  if (makes_token_vectors(model))
    lines.emplace_back("token vectors", joined(token_vector_settings(model).modules, "; "));
  return lines;
}

void add_vector_settings(JsonWriter& object, const Model& model) {
  const PoolingSettings settings = model.pooling();
  JsonWriter pooling;
  pooling.string("mode", mode_names(settings, "+"));
  pooling.boolean("normalize", settings.normalize);
  pooling.boolean("declared", settings.declared);
  if (!settings.modules.empty()) pooling.strings("modules", settings.modules);
  if (settings.dimensions) pooling.number("dimensions", *settings.dimensions);
  if (!settings.unsupported.empty()) pooling.string("unsupported", settings.unsupported);
  object.member("pooling") += pooling.take();
  if (const std::string sparse = sparse_module(model); !sparse.empty()) object.string("sparse", sparse);
  if (makes_token_vectors(model)) {
    object.strings("token_modules", token_vector_settings(model).modules);
  }
}

}  // namespace bert::cli
