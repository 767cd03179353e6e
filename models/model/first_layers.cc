#include "models/model/first_layers.h"

#include <algorithm>
#include <string_view>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {

std::vector<std::string> keep_first_layers(ModelConfig& config, const Family& family, size_t layers,
                                           const std::string& source) {
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

  std::vector<std::string> left_out;
  for (const EncoderNames* names : {&family.names, family.other_names}) {
    const size_t number = names == nullptr ? std::string_view::npos : names->attention_output.find("{}");
    if (number == std::string_view::npos) continue;  // the layers share their tensors
    for (size_t layer = layers; layer < all; ++layer) {
      left_out.push_back(std::string(names->attention_output.substr(0, number)) + std::to_string(layer) + ".*");
    }
  }
  return left_out;
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
