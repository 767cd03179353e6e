// Access to the inside of a model, for research: the parts of its embeddings, its learned position table, how its
// attention scores depend on distance, its layers one by one. Experiments with these are in bert/experiments.h.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/config.h"
#include "bert/export.h"
#include "bert/model.h"

namespace bert {

// The vectors that the embedding layer adds for each token of a sequence, and their sum before and after LayerNorm.
// Rows as in EncodedSequence; every matrix is [tokens, hidden]. Parts that the model does not have are empty.
struct EmbeddingParts {
  size_t tokens = 0;
  size_t hidden = 0;  // width of the embedding layer
  std::vector<float> word;
  std::vector<float> position;
  std::vector<float> segment;
  std::vector<float> sum;         // word + segment + position
  std::vector<float> normalized;  // LayerNorm of the sum; the sum if the model has no LayerNorm there
};

// The learned position vectors, by position.
struct PositionTable {
  size_t positions = 0;
  size_t hidden = 0;
  std::vector<float> values;  // [positions, hidden]
};

// Computes the parts of a sequence's embeddings. Throws Error for a sequence that Model::check rejects, and for a NaN
// or an infinity.
BERT_API EmbeddingParts embedding_parts(const Model& model, const TokenSequence& sequence);
BERT_API bool has_position_table(const Model& model);
// Returns the learned position vectors. Throws Error for a model without them, and for a NaN or an infinity.
BERT_API PositionTable position_table(const Model& model);

// Learned numbers for each distance of two tokens: the key's place minus the query's. Distances beyond `farthest` have
// the numbers of `farthest`.
struct DistanceBias {
  size_t heads = 0;
  size_t farthest = 0;
  // Added to a score before softmax, independent of the two tokens.   [heads, 2 * farthest + 1], from -farthest on
  std::vector<float> values;
  // If queries or keys are multiplied by vectors for the distance: the standard deviation of the product, for queries
  // and keys with independent components of variance 1. Shape as `values`. Empty: there are no such vectors.
  std::vector<float> spread;
};

// How the attention scores of some layers depend on the distance of two tokens. At most one of `frequencies`, `slopes`
// and `bias` is set.
struct ScorePositions {
  // The layers with these positions, from 0, in the order of a forward pass. Empty: sinusoids, which are added to the
  // embeddings.
  std::vector<size_t> layers;
  std::optional<size_t> window;  // a token attends to tokens at most this many places away
  // Radians per place: rotary positions rotate pair i of a head's components by frequencies[i] for each place;
  // sinusoids have the frequency frequencies[i] in pair i of the components.
  std::vector<float> frequencies;
  std::vector<float> slopes;  // ALiBi: subtracted from a score for each place of distance   [heads]
  std::optional<DistanceBias> bias;
};

// Returns the positions of all layers; layers with equal positions share an entry. Empty: the model has a position
// table or no positions. text_length: for rotary positions whose frequencies depend on the text's number of tokens.
BERT_API std::vector<ScorePositions> score_positions(const Model& model, size_t text_length = 0);
// Returns whether positions act on scores by a formula: rotary positions, ALiBi, windows.
BERT_API bool has_score_formula(const ModelConfig& config);
// Returns the positions of all layers from a configuration, without weights. Throws Error(kNotFound) if they are
// learned numbers by distance.
BERT_API std::vector<ScorePositions> score_positions(const ModelConfig& config, size_t text_length = 0);

// A model's configuration, also of a directory without weights.
struct Architecture {
  std::string source;  // the directory
  ModelConfig config;
  bool has_weights = false;
};
// Loads config.json. Throws Error as Model::load does for this file.
BERT_API Architecture load_architecture(const std::string& name, const LoadOptions& options = {});

// Returns the output of each layer for a given input: layer i, counted from 0, reads state i instead of the output of
// the layer before it. This compares the layers of two models of one shape without the errors of earlier layers.
// states: [layers + 1, tokens, hidden], such as the other model's EncodedSequence::hidden_states; the last state is not
// used. Returns [layers, tokens, hidden]. Throws Error for a sequence that Model::check rejects, for states of another
// size, and for a NaN or an infinity.
BERT_API std::vector<float> layer_outputs(const Model& model, const TokenSequence& sequence,
                                          std::span<const float> states);

}  // namespace bert
