// The ways in which an encoder can know where a token stands, by the name that config.json's position_embedding_type
// has for each. This table is the one place that tells them apart. Stateless.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "bert/config.h"

namespace bert {

struct PositionScheme {
  std::string_view name;
  bool table = false;           // a row of the learned table is added to the embeddings
  bool sinusoid = false;        // sines and cosines are added to them
  bool distances = false;       // each query is multiplied with a learned vector for its distance to the key
  bool distances_keys = false;  // and each key too
  bool bias = false;            // a learned number for the distance is added to the score
};

std::span<const PositionScheme> position_schemes();
const PositionScheme* find_position_scheme(std::string_view name);  // nullptr: none

// Of a configuration that was checked.
const PositionScheme& position_scheme(const ModelConfig& config);

// The longest sequence, in tokens, that has a position for each token and a distance for each pair; none: no limit.
std::optional<size_t> longest_sequence(const ModelConfig& config);

}  // namespace bert
