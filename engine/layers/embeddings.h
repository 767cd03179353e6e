// The embedding layer: word + segment + position, summed in this order as in the reference, then a norm, then a dense
// layer if the embeddings have another width than the encoder.
// Source: Devlin et al. 2019, figure 2; Lan et al. 2020, section 3.1 (the dense layer); Lin et al. 2023 (token
// dropout).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/layers/linear.h"
#include "engine/layers/norm.h"
#include "engine/layers/sinusoid.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

struct Embeddings {
  WeightView word;                       // [vocab, embedding]
  std::optional<WeightView> token_type;  // [types, embedding]
  std::optional<WeightView> position;    // [positions, embedding]: learned
  std::optional<Sinusoid> sinusoid;
  std::optional<Norm> norm = {};
  std::optional<Linear> projection;  // embedding to hidden
  // A dense layer that makes the words' vectors as wide as the other tables. It reads the vectors of the next word, the
  // word itself and the previous word, or only the word's own. Source: Sun et al. 2020, section 3.
  std::optional<Linear> word_projection = {};
  float scale = 1;  // factor of the words' vectors
  // For ESM's token dropout: the vectors of this word are 0, and those of the other words are multiplied by
  // kTrainedShare over their share of the sequence. nullopt: no dropout.
  std::optional<int32_t> dropped_word = {};
  static constexpr double kTrainedShare = 0.88;  // share of the words that were not masked in training

  // Computes the embeddings.   y: [tokens, hidden]. Every id, type id and position must be inside its table.
  void forward(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const;

  size_t width() const { return word_projection ? word_projection->outs() : word.cols; }

  // Compute the terms of forward() (each only if it exists), their sum, and the sum after the norm.   y: [tokens,
  // width()]
  void words(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const;
  void token_types(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const;
  void positions(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const;
  void sum(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const;
  void normalized(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const;

  // Adds the position vectors, learned or sinusoidal, to y.
  void add_positions(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const;

 private:
  // Returns the factor of each token's vector; empty: the factor is `scale` for all.
  std::vector<float> word_scales(const RaggedBatch& batch) const;
  void copy_word(const RaggedBatch& batch, size_t token, std::span<const float> scales, float* row,
                 const KernelTable& kernels) const;
  void add_position(size_t place, float* row, const KernelTable& kernels) const;
};

// Copies all rows of a table.   y: [table.rows, table.cols]
void copy_table(const WeightView& table, MatrixView y, ExecutionContext& context);

}  // namespace bert
