#include "engine/layers/gru.h"

#include <algorithm>

namespace bert {

size_t Gru::widest_input() const { return std::max(input.weight.cols, recurrent.weight.cols); }

Matrix Gru::step(ConstMatrixView x, ConstMatrixView hidden, const OwnProducts& products) const {
  const size_t width = size();
  Matrix from_input(x.rows, 3 * width), gates(hidden.rows, 3 * width), y(hidden.rows, width);
  products.multiply({.x = x, .parts = {&input, 1}, .y = from_input.view()});
  products.multiply({.x = hidden, .parts = {&recurrent, 1}, .y = gates.view()});
  const KernelTable& kernels = products.kernels();
  for (size_t row = 0; row < hidden.rows; ++row) {
    const float* of_input = from_input.view().row(x.rows == 1 ? 0 : row);
    float* reset = gates.view().row(row);
    float* update = reset + width;
    float* fresh = update + width;
    for (size_t i = 0; i < 2 * width; ++i) reset[i] += of_input[i];
    kernels.activate(reset, 2 * width, Activation::kSigmoid);
    for (size_t i = 0; i < width; ++i) fresh[i] = of_input[2 * width + i] + reset[i] * fresh[i];
    kernels.activate(fresh, width, Activation::kTanh);
    const float* before = hidden.row(row);
    for (size_t i = 0; i < width; ++i) y.view().row(row)[i] = (1 - update[i]) * fresh[i] + update[i] * before[i];
  }
  return y;
}

}  // namespace bert
