// The ways in which an encoder can represent a token's position, by the value of position_embedding_type in
// config.json. Only this table distinguishes them. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bert/config.h"

namespace bert {

// Position vectors that are added to the embeddings.
enum class AddedPositions : uint8_t {
  kNone,
  kTable,    // a row of the learned table
  kSinusoid  // sines and cosines
};

// How the attention scores depend on the distance of query and key.
enum class ScoreDistances : uint8_t {
  kNone,
  kQueryVectors,        // each query is multiplied by a learned vector for its distance to the key
  kQueryAndKeyVectors,  // each query and each key is multiplied by a learned vector
  kBias,                // a learned number for the distance is added to the score
  kSlopes,              // the distance times the head's slope is subtracted from the score
  kDisentangled,        // each query and each key is multiplied by a projected vector for the distance
  kRotary               // queries and keys are rotated
};

struct PositionScheme {
  std::string_view name;
  AddedPositions added = AddedPositions::kNone;
  ScoreDistances distances = ScoreDistances::kNone;
  bool of_family = false;  // set by a family, not by config.json

  bool has_distance_vectors() const {
    return distances == ScoreDistances::kQueryVectors || distances == ScoreDistances::kQueryAndKeyVectors;
  }
};

std::span<const PositionScheme> position_schemes();
const PositionScheme* find_position_scheme(std::string_view name);  // nullptr: no such scheme

// Returns the scheme of a checked configuration.
const PositionScheme& position_scheme(const ModelConfig& config);

// Returns the position_embedding_type of these positions; "" for kNative.
std::string_view position_type(Positions positions);

// Returns why the positions cannot be added before every layer; "" if they can.   projects: a dense layer follows the
// embeddings
std::string why_not_at_every_layer(const ModelConfig& config, bool projects);

// Returns the most tokens of a sequence in which each token has a position and each pair a distance; nullopt: no limit.
std::optional<size_t> longest_sequence(const ModelConfig& config);

}  // namespace bert
