#include "models/model/encoder_change.h"

#include <algorithm>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "models/config/positions.h"

namespace bert {
namespace {

// Replaces the positions; returns a notice, or "" if nothing is replaced.
std::string replace_positions(ModelConfig& config, const Family& family, const PositionChoice& positions) {
  const std::string native = config.described_positions();
  if (positions.kind != Positions::kNative) config.position_embedding_type = position_type(positions.kind);
  if (positions.at != PositionsAt::kNative) {
    config.positions_at_every_layer = positions.at == PositionsAt::kEveryLayer;
  }
  if (config.positions_at_every_layer) {
    const std::string reason = why_not_at_every_layer(config, projects_embeddings(config, family));
    if (!reason.empty()) throw Error(ErrorCode::kInvalidArgument, "positions before every layer: " + reason);
  }
  const std::string replaced = config.described_positions();
  return replaced == native ? ""
                            : "an experiment: positions " + replaced + " in place of the model's own, " + native +
                                  ", with which it was trained";
}

}  // namespace

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

EncoderChange change_encoder(ModelConfig& config, const PositionChoice& positions, std::optional<size_t> layers,
                             const std::string& source) {
  EncoderChange change{.family = find_family(config.model_type, config.position_embedding_type)};
  if (layers) keep_first_layers(config, *layers, source);
  change.experiment = replace_positions(config, *change.family, positions);
  return change;
}

}  // namespace bert
