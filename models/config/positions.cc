#include "models/config/positions.h"

#include <array>

namespace bert {
namespace {

constexpr std::array kSchemes = {
    PositionScheme{.name = "absolute", .table = true},
    PositionScheme{.name = "relative_key", .distances = true},
    PositionScheme{.name = "relative_key_query", .distances = true, .distances_keys = true},
    PositionScheme{.name = "relative_bias", .table = true, .bias = true, .of_family = true},
    PositionScheme{.name = "disentangled", .disentangled = true, .of_family = true},
    PositionScheme{.name = "disentangled_absolute", .table = true, .disentangled = true, .of_family = true},
    PositionScheme{.name = "rotary", .rotary = true, .of_family = true},
    PositionScheme{.name = "alibi", .slopes = true, .of_family = true},
    PositionScheme{.name = "sinusoidal", .sinusoid = true},
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

std::optional<size_t> longest_sequence(const ModelConfig& config) {
  const PositionScheme& scheme = position_scheme(config);
  if (!scheme.table && !scheme.distances) return std::nullopt;
  const auto first =
      static_cast<size_t>(scheme.table && config.position_padding_id ? *config.position_padding_id + 1 : 0);
  return config.max_position_embeddings - first;
}

}  // namespace bert
