#include "models/config/positions.h"

#include <array>

namespace bert {
namespace {

using Added = AddedPositions;
using Distances = ScoreDistances;

constexpr std::array kSchemes = {
    PositionScheme{.name = "absolute", .added = Added::kTable},
    PositionScheme{.name = "relative_key", .distances = Distances::kQueryVectors},
    PositionScheme{.name = "relative_key_query", .distances = Distances::kQueryAndKeyVectors},
    PositionScheme{.name = "relative_bias", .added = Added::kTable, .distances = Distances::kBias, .of_family = true},
    PositionScheme{.name = "relative_bias_alone", .distances = Distances::kBias, .of_family = true},
    PositionScheme{.name = "disentangled", .distances = Distances::kDisentangled, .of_family = true},
    PositionScheme{.name = "disentangled_absolute",
                   .added = Added::kTable,
                   .distances = Distances::kDisentangled,
                   .of_family = true},
    PositionScheme{.name = "rotary", .distances = Distances::kRotary, .of_family = true},
    PositionScheme{.name = "alibi", .distances = Distances::kSlopes, .of_family = true},
    PositionScheme{.name = "sinusoidal", .added = Added::kSinusoid},
    PositionScheme{.name = "none"},
};

}  // namespace

std::span<const PositionScheme> position_schemes() { return kSchemes; }

const PositionScheme* find_position_scheme(std::string_view name) {
  for (const PositionScheme& scheme : kSchemes) {
    if (scheme.name == name) return &scheme;
  }
  return nullptr;
}

const PositionScheme& position_scheme(const ModelConfig& config) {
  return *find_position_scheme(config.position_embedding_type);
}

std::string_view position_type(Positions positions) {
  switch (positions) {
    case Positions::kNative:
      return "";
    case Positions::kLearned:
      return "absolute";
    case Positions::kSinusoidal:
      return "sinusoidal";
    case Positions::kNone:
      return "none";
  }
  return "";
}

std::string why_not_at_every_layer(const ModelConfig& config, bool projects) {
  if (position_scheme(config).added == AddedPositions::kNone) {
    return "the positions are " + config.position_embedding_type +
           ", expected vectors that are added to the embeddings";
  }
  if (projects) return "a dense layer follows the embeddings, expected position vectors as wide as the layers";
  return "";
}

std::optional<size_t> longest_sequence(const ModelConfig& config) {
  const PositionScheme& scheme = position_scheme(config);
  const bool has_table = scheme.added == AddedPositions::kTable;
  if (!has_table && !scheme.has_distance_vectors()) return std::nullopt;
  const auto first = static_cast<size_t>(has_table && config.position_padding_id ? *config.position_padding_id + 1 : 0);
  return config.max_position_embeddings - first;
}

}  // namespace bert
