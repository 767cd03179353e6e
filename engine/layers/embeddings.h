// The embedding layer: word + segment + learned position, summed in this order as the reference does, then LayerNorm.
// Source: Devlin et al. 2019, figure 2.
#pragma once

#include "engine/layers/execution.h"
#include "engine/layers/layer_norm.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

class Embeddings {
 public:
  // word: [vocab, hidden]; token_type: [types, hidden]; position: [positions, hidden]; views.
  Embeddings(WeightView word, WeightView token_type, WeightView position, LayerNorm norm)
      : word_(word), token_type_(token_type), position_(position), norm_(norm) {}

  // y: [tokens, hidden]. Every id, type id and position is inside its table.
  void forward(const RaggedBatch& batch, MatrixView y, Execution& execution) const;

  // What forward() adds up, each alone, and the sum before LayerNorm.   y: [tokens, hidden]
  void words(const RaggedBatch& batch, MatrixView y, Execution& execution) const;
  void token_types(const RaggedBatch& batch, MatrixView y, Execution& execution) const;
  void positions(const RaggedBatch& batch, MatrixView y, Execution& execution) const;
  void sum(const RaggedBatch& batch, MatrixView y, Execution& execution) const;

  size_t position_count() const { return position_.rows; }
  // All rows of the position table.   y: [position_count(), hidden]
  void position_table(MatrixView y, Execution& execution) const;

 private:
  WeightView word_;
  WeightView token_type_;
  WeightView position_;
  LayerNorm norm_;
};

}  // namespace bert
