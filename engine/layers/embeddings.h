// The embedding layer: word + segment + position, summed in this order as the reference does, then LayerNorm, then,
// where the embeddings are narrower or wider than the encoder, a dense layer.
// Source: Devlin et al. 2019, figure 2; Lan et al. 2020, section 3.1 (the dense layer).
#pragma once

#include <optional>

#include "engine/layers/execution.h"
#include "engine/layers/layer_norm.h"
#include "engine/layers/linear.h"
#include "engine/layers/sinusoid.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

class Embeddings {
 public:
  struct Parts {
    WeightView word;                       // [vocab, embedding]
    std::optional<WeightView> token_type;  // [types, embedding]
    std::optional<WeightView> position;    // [positions, embedding]
    std::optional<Sinusoid> sinusoid;
    LayerNorm norm;
    std::optional<Linear> projection;  // embedding to hidden
  };
  explicit Embeddings(Parts parts) : parts_(std::move(parts)) {}

  // y: [tokens, hidden]. Every id, type id and position is inside its table.
  void forward(const RaggedBatch& batch, MatrixView y, Execution& execution) const;

  size_t width() const { return parts_.word.cols; }
  bool has_token_types() const { return parts_.token_type.has_value(); }
  bool has_positions() const { return parts_.position.has_value() || parts_.sinusoid.has_value(); }

  // What forward() adds up, each alone (only a part that there is), the sum, and that after LayerNorm.
  // y: [tokens, width()]
  void words(const RaggedBatch& batch, MatrixView y, Execution& execution) const;
  void token_types(const RaggedBatch& batch, MatrixView y, Execution& execution) const;
  void positions(const RaggedBatch& batch, MatrixView y, Execution& execution) const;
  void sum(const RaggedBatch& batch, MatrixView y, Execution& execution) const;
  void normalized(const RaggedBatch& batch, MatrixView y, Execution& execution) const;

  size_t position_count() const { return parts_.position ? parts_.position->rows : 0; }  // of the learned table
  // All rows of the position table.   y: [position_count(), width()]
  void position_table(MatrixView y, Execution& execution) const;

 private:
  Parts parts_;
};

}  // namespace bert
