#include "models/model/encoder_change.h"

#include "models/config/positions.h"
#include "models/model/first_layers.h"

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

EncoderChange change_encoder(ModelConfig& config, const PositionChoice& positions, std::optional<size_t> layers,
                             const std::string& source) {
  EncoderChange change{.family = find_family(config.model_type, config.position_embedding_type)};
  if (layers) keep_first_layers(config, *layers, source);
  change.experiment = replace_positions(config, *change.family, positions);
  return change;
}

}  // namespace bert
