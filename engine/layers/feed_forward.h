// The feed-forward network of an encoder layer: two dense layers with the activation between them, or with a gate:
// down(act(x · Wᵀ) * (x · Vᵀ)), or experts.
// Sources: Vaswani et al. 2017, section 3.3; BERT uses GELU. Shazeer 2020 (the gate).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/layers/linear.h"

namespace bert {

// The gate of a layer whose outputs are two halves: the activation of one half is multiplied by the other half.
struct Gate {
  enum class Activated { kFirst, kSecond };
  Activated activated = Activated::kFirst;
  Activation activation = Activation::kIdentity;
  std::optional<float> limit = {};  // L in the formula of Experts
};

// A feed-forward network of experts: a router gives the experts probabilities, and the output of a row is the sum of
// the best experts' outputs, weighted by their probabilities:
//   y = Σ p_e · down_e(act(up_e(x))) + bias + residual,   p = softmax(router(x)), over the top_k largest p_e;
// or p is the softmax of only the top_k largest router(x). With a gate of limit L the outputs of up_e are two halves g
// and u, and act(min(g, L)) · (clamp(u, -L, L) + 1) replaces act(up_e(x)). Rows are gathered by expert, so that an
// expert's weights are read once for all of its rows. A row's sum adds its experts in ascending order, then the bias,
// then the residual, so its bits do not depend on other rows. Sources: Shazeer et al. 2017, section 2, without noise;
// the gate of gpt-oss (OpenAI 2025).
struct Experts {
  Linear router = {};             // hidden to experts
  std::vector<Linear> up = {};    // [experts]: hidden to intermediate, with the activation; or to both halves
  std::vector<Linear> down = {};  // [experts]: intermediate to hidden
  const float* bias = nullptr;    // [hidden], or null
  size_t top_k = 1;               // of equal probabilities the smaller numbers are chosen
  // True: p is the softmax of only the chosen experts, so their probabilities sum to 1.
  bool softmax_of_chosen = false;
  std::optional<Gate> gate = {};

  // Returns the columns of the workspace's wide matrix that forward() needs.
  size_t wide_columns() const;

  // x, y: [tokens, hidden]; residual: the same shape, or {} for none. y must not overlap the others. Overwrites the
  // workspace's wide matrix.
  void forward(ConstMatrixView x, ConstMatrixView residual, MatrixView y, ExecutionContext& context) const;
};

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
