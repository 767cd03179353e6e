// Experiments and a look inside: other positions than the model's own, what the embedding layer adds up, the table of
// learned positions. The program's commands that answer questions about a model are built on it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bert/export.h"
#include "bert/model.h"

namespace bert {

enum class Positions { kNative, kLearned, kSinusoidal, kNone };  // kNative: as config.json says

// Model::load and Model::builtin with other positions; Model::config() and a notice say so.
BERT_API Model load_with_positions(const std::string& name, Positions positions, const LoadOptions& options = {});
BERT_API Model builtin_with_positions(Positions positions, const LoadOptions& options = {});

// What the embedding layer adds up for each token of a sequence, and what its norm makes of the sum. Rows as in
// EncodedSequence; every matrix is [tokens, hidden]. A part that the model does not add is empty.
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

// Throws Error for a sequence that Model::check refuses, and for a NaN or an infinity.
BERT_API EmbeddingParts embedding_parts(const Model& model, const TokenSequence& sequence);
// Throws Error for a model without learned position vectors, and for a NaN or an infinity.
BERT_API PositionTable position_table(const Model& model);

}  // namespace bert
