// For research on a model: replacing its positions, the parts of its embeddings, its learned position table, its layers
// one by one. The program's research commands use it. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bert/export.h"
#include "bert/model.h"

namespace bert {

enum class Positions { kNative, kLearned, kSinusoidal, kNone };  // kNative: those of config.json

// Model::load and Model::builtin with other positions; Model::config() and a notice report them.
BERT_API Model load_with_positions(const std::string& name, Positions positions, const LoadOptions& options = {});
BERT_API Model builtin_with_positions(Positions positions, const LoadOptions& options = {});

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
// Throws Error for a model without learned position vectors, and for a NaN or an infinity.
BERT_API PositionTable position_table(const Model& model);

// The output of each layer for the given hidden state before it, in place of the model's own: layer i, counted from 0,
// gets state i. This compares the layers of two models of one shape without the differences of earlier layers.
// states: [layers + 1, tokens, hidden], such as the other model's EncodedSequence::hidden_states; the last is not used.
// Result: [layers, tokens, hidden]. Throws Error for a sequence that Model::check rejects, for states of another size,
// and for a NaN or an infinity.
BERT_API std::vector<float> layer_outputs(const Model& model, const TokenSequence& sequence,
                                          std::span<const float> states);

}  // namespace bert
