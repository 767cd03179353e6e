// For research on a model: the parts of its embeddings, its learned position table, what its attention scores gain by
// distance, its layers one by one. What can be measured with them is in bert/experiments.h.
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
// Rows as in EncodedSequence; every matrix is [tokens, hidden]. A part that the model does not have is empty.
struct EmbeddingParts {
  size_t tokens = 0;
  size_t hidden = 0;  // of the embedding layer
  std::vector<float> word;
  std::vector<float> position;
  std::vector<float> segment;
  std::vector<float> sum;         // word + segment + position
  std::vector<float> normalized;  // LayerNorm of the sum
};

// The learned position vectors, by position.
struct PositionTable {
  size_t positions = 0;
  size_t hidden = 0;
  std::vector<float> values;  // [positions, hidden]
};

// Throws Error for a sequence that Model::check rejects, and for a NaN or an infinity.
BERT_API EmbeddingParts embedding_parts(const Model& model, const TokenSequence& sequence);
BERT_API bool has_position_table(const Model& model);
// Throws Error for a model without learned position vectors, and for a NaN or an infinity.
BERT_API PositionTable position_table(const Model& model);

// Learned numbers by the distance of two tokens: the place of the key minus that of the query. Larger distances than
// `farthest` have its values.
struct DistanceBias {
  size_t heads = 0;
  size_t farthest = 0;
  // What a score gains, before softmax, whatever the two tokens are.   [heads, 2 * farthest + 1], from -farthest on
  std::vector<float> values;
  // Where queries or keys are multiplied by vectors for the distance: the standard deviation of that product for
  // queries and keys with independent components of variance 1. Empty: the gain depends on no token.   As `values`
  std::vector<float> spread;
};

// How attention scores depend on the distance of two tokens. Of `frequencies`, `slopes` and `bias` at most one is
// given.
struct ScorePositions {
  // These are alike; from 0, in the order of a forward pass. Empty: sinusoids, which are added to the embeddings.
  std::vector<size_t> layers;
  std::optional<size_t> window;  // a token sees those at most this many places away
  // Rotary positions: pair i of a head's components turns by frequencies[i] radians a place. Sinusoids have the same
  // frequencies, those of their pairs.
  std::vector<float> frequencies;
  std::vector<float> slopes;  // ALiBi: what a score loses for each place of distance   [heads]
  std::optional<DistanceBias> bias;
};

// The positions of all layers, equal layers together. Empty: a position table or nothing. text_length: for rotary
// positions whose frequencies depend on the number of a text's tokens.
BERT_API std::vector<ScorePositions> score_positions(const Model& model, size_t text_length = 0);
// Whether the positions act on scores by a formula: rotary positions, ALiBi, windows.
BERT_API bool has_score_formula(const ModelConfig& config);
// The same from a configuration, without weights. Throws Error(kNotFound) for numbers by distance that are learned.
BERT_API std::vector<ScorePositions> score_positions(const ModelConfig& config, size_t text_length = 0);

// A model's configuration; its weights need not be there.
struct Architecture {
  std::string source;  // the directory
  ModelConfig config;
  bool has_weights = false;
};
// Throws Error as Model::load does for config.json.
BERT_API Architecture load_architecture(const std::string& name, const LoadOptions& options = {});

// The output of each layer for the given hidden state before it, in place of the model's own: layer i, counted from 0,
// gets state i. This compares the layers of two models of one shape without the differences of earlier layers.
// states: [layers + 1, tokens, hidden], such as the other model's EncodedSequence::hidden_states; the last is not used.
// Result: [layers, tokens, hidden]. Throws Error for a sequence that Model::check rejects, for states of another size,
// and for a NaN or an infinity.
BERT_API std::vector<float> layer_outputs(const Model& model, const TokenSequence& sequence,
                                          std::span<const float> states);

}  // namespace bert
