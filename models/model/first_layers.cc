#include "models/model/first_layers.h"

#include <algorithm>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {

void keep_first_layers(ModelConfig& config, size_t layers, const std::string& source) {
  const size_t all = config.num_hidden_layers;
  if (layers < 1 || layers > all) {
    throw Error(ErrorCode::kInvalidArgument, "layers " + std::to_string(layers) + ", expected 1 to " +
                                                 std::to_string(all) + ", the layers of " + quote_path(source));
  }
  if (config.num_hidden_groups > 1 && layers < all) {
    throw Error(ErrorCode::kUnsupported, quote_path(source) + ": its layers are in " +
                                             std::to_string(config.num_hidden_groups) +
                                             " groups that share weights, expected one group for the first layers "
                                             "alone");
  }
  config.num_hidden_layers = layers;
  if (!config.local_layers.empty()) config.local_layers.resize(layers);
  if (config.short_convolution) config.short_convolution->layers.resize(layers);
  if (!config.layer_distances.empty()) config.layer_distances.resize(layers);
}

std::vector<std::string> layer_count_fields(const Family& family) {
  std::vector<std::string> fields = {family.fields.num_hidden_layers};
  const auto add = [&](const char* name) {
    if (std::find(fields.begin(), fields.end(), name) == fields.end()) fields.emplace_back(name);
  };
  if (family.older_fields != nullptr) add(family.older_fields->num_hidden_layers);
  add(ConfigFields().num_hidden_layers);
  return fields;
}

}  // namespace bert
