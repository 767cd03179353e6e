// The feed-forward network of an encoder layer: two dense layers with the activation between them, or with a gate:
// down(act(x · Wᵀ) * (x · Vᵀ)).
// Sources: Vaswani et al. 2017, section 3.3; BERT uses GELU. Shazeer 2020 (the gate).
#pragma once

#include <optional>

#include "engine/layers/experts.h"
#include "engine/layers/linear.h"

namespace bert {

struct FeedForward {
  Linear up = {};  // hidden to intermediate, with the activation; with a gate, to both halves
  std::optional<Gate> gate = {};
  Linear down = {};                     // intermediate to hidden
  std::optional<Experts> experts = {};  // instead of up and down

  // Returns the columns of the workspace's wide matrix that forward() needs.
  size_t wide_columns() const { return experts ? experts->wide_columns() : up.outs(); }

  // Computes y = down(act(up(x))) + residual.   x, y: [tokens, hidden]; residual: the same shape, or {} for none.
  // Overwrites the workspace's wide matrix.
  void forward(ConstMatrixView x, ConstMatrixView residual, MatrixView y, ExecutionContext& context) const;
};

}  // namespace bert
