// The ways in which an encoder can represent a token's position, by the value of position_embedding_type in
// config.json. Only this table distinguishes them. Stateless.
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
  bool distances = false;       // each query is multiplied by a learned vector for its distance to the key
  bool distances_keys = false;  // and so is each key
  bool bias = false;            // a learned number for the distance is added to the score
  bool slopes = false;          // the distance times a slope of the head's is subtracted from the score
  bool disentangled = false;    // each query and each key is multiplied by a projected vector for the distance
  bool rotary = false;          // queries and keys are rotated
  bool of_family = false;       // the family's own: no choice of config.json
};

std::span<const PositionScheme> position_schemes();
const PositionScheme* find_position_scheme(std::string_view name);  // nullptr: none

// For a checked configuration.
const PositionScheme& position_scheme(const ModelConfig& config);

// The longest sequence, in tokens, with a position for each token and a distance for each pair; nullopt: no limit.
std::optional<size_t> longest_sequence(const ModelConfig& config);

}  // namespace bert
