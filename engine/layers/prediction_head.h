// A head on top of the encoder: maybe a dense layer with its activation, maybe a LayerNorm, then the output layer.
// Source: Devlin et al. 2019, section 3.1 (masked tokens), 4 (the others).
#pragma once

#include <optional>

#include "engine/layers/layer_norm.h"
#include "engine/layers/linear.h"

namespace bert {

class PredictionHead {
 public:
  struct Parts {
    std::optional<Linear> dense;
    std::optional<LayerNorm> norm;  // after the dense layer
    Linear output;
  };
  explicit PredictionHead(Parts parts) : parts_(std::move(parts)) {}

  size_t outputs() const { return parts_.output.out(); }

  // x: [rows, hidden], not in the workspace's wide memory, which is overwritten; y: [rows, outputs()].
  void forward(ConstMatrixView x, MatrixView y, Execution& execution) const;

 private:
  Parts parts_;
};

}  // namespace bert
