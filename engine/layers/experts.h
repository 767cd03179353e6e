// A feed-forward network of experts, of which each row uses a few: a router gives the experts probabilities, and the
// output is the sum of the best ones' outputs by their probabilities:
//   y = Σ p_e · down_e(act(up_e(x))) + bias + residual,   p = softmax(router(x)), over the top_k largest p_e;
// or with p the softmax of the top_k largest router(x) alone. With a gate of limit L the outputs of up_e are two halves
// g and u, and in place of act(up_e(x)) is act(min(g, L)) · (clamp(u, -L, L) + 1). Rows are gathered by expert, so that
// an expert's weights are read once for all of its rows. A row's sum adds its experts in the order of their numbers,
// then the bias, then the residual: its bits do not depend on other rows. Sources: Shazeer et al. 2017, section 2,
// without noise; the gate of gpt-oss (OpenAI 2025).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/layers/linear.h"

namespace bert {

// Of a layer whose outputs are two halves: one gets the activation and is multiplied by the other.
struct Gate {
  enum class Activated { kFirst, kSecond };
  Activated activated = Activated::kFirst;
  Activation activation = Activation::kIdentity;
  std::optional<float> limit = {};  // L of the formula above
};

// From [rows, both halves] to [rows, half], in place in the first columns.
MatrixView apply_gate(const Gate& gate, MatrixView halves, ExecutionContext& context);

struct Experts {
  Linear router = {};             // hidden to experts
  std::vector<Linear> up = {};    // [experts]: hidden to intermediate, with the activation; or to both halves
  std::vector<Linear> down = {};  // [experts]: intermediate to hidden
  const float* bias = nullptr;    // [hidden], or null
  size_t top_k = 1;               // of equal probabilities those of the smaller numbers
  // The probabilities of the chosen experts sum to 1.
  bool softmax_of_chosen = false;
  std::optional<Gate> gate = {};

  // Columns of the workspace's wide matrix that forward() needs.
  size_t wide_columns() const;

  // x, y: [tokens, hidden]; residual: as they, or none ({}). y is none of the others. Overwrites the workspace's wide
  // matrix.
  void forward(ConstMatrixView x, ConstMatrixView residual, MatrixView y, ExecutionContext& context) const;
};

}  // namespace bert
