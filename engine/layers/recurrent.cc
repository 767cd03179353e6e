#include "engine/layers/recurrent.h"

#include <algorithm>
#include <numeric>

namespace bert {
namespace {

// The rows of a batch step by step: first the first row of each sequence, longest sequence first, then the second rows
// of the sequences that have one, and so on.
struct StepOrder {
  std::vector<size_t> sequences;  // longest first
  std::vector<size_t> counts;     // [steps]: number of sequences that have this step

  explicit StepOrder(std::span<const size_t> row_starts) : sequences(row_starts.size() - 1) {
    std::iota(sequences.begin(), sequences.end(), size_t{0});
    const auto length = [&](size_t sequence) { return row_starts[sequence + 1] - row_starts[sequence]; };
    std::stable_sort(sequences.begin(), sequences.end(), [&](size_t a, size_t b) { return length(a) > length(b); });
    const size_t steps = sequences.empty() ? 0 : length(sequences.front());
    size_t count = sequences.size();
    for (size_t step = 0; step < steps; ++step) {
      while (count > 0 && length(sequences[count - 1]) <= step) --count;
      counts.push_back(count);
    }
  }
};

// Computes one step of one sequence. gates: [4 * size], before their activations;  cell, hidden: [size].
void step_once(const KernelTable& kernels, size_t size, float* gates, float* cell, float* hidden) {
  float* input = gates;
  float* forget = gates + size;
  float* candidate = gates + 2 * size;
  float* output = gates + 3 * size;
  kernels.activate(input, 2 * size, Activation::kSigmoid);
  kernels.activate(candidate, size, Activation::kTanh);
  kernels.activate(output, size, Activation::kSigmoid);
  for (size_t i = 0; i < size; ++i) cell[i] = forget[i] * cell[i] + input[i] * candidate[i];
  std::copy_n(cell, size, hidden);
  kernels.activate(hidden, size, Activation::kTanh);
  for (size_t i = 0; i < size; ++i) hidden[i] *= output[i];
}

// y: [rows, size], the columns of one direction.
void run_direction(const LstmDirection& direction, bool is_backward, ConstMatrixView x,
                   std::span<const size_t> row_starts, MatrixView y, const ProductRunner& products) {
  const StepOrder order(row_starts);
  const size_t size = direction.size();
  const auto row_of = [&](size_t index, size_t step) {
    const size_t sequence = order.sequences[index];
    return is_backward ? row_starts[sequence + 1] - 1 - step : row_starts[sequence] + step;
  };
  Matrix inputs(x.rows, x.cols), from_inputs(x.rows, 4 * size);
  size_t next = 0;
  for (size_t step = 0; step < order.counts.size(); ++step) {
    for (size_t i = 0; i < order.counts[step]; ++i) {
      std::copy_n(x.row(row_of(i, step)), x.cols, inputs.view().row(next++));
    }
  }
  products.multiply({.x = inputs.view(), .parts = {&direction.input, 1}, .y = from_inputs.view()});

  Matrix hidden(order.sequences.size(), size), cells(order.sequences.size(), size), gates(hidden.rows(), 4 * size);
  std::fill_n(hidden.view().data, hidden.rows() * size, 0.0f);
  std::fill_n(cells.view().data, cells.rows() * size, 0.0f);
  size_t first = 0;
  for (size_t step = 0; step < order.counts.size(); ++step) {
    const size_t count = order.counts[step];
    products.multiply({.x = hidden.view().row_range(0, count),
                       .parts = {&direction.recurrent, 1},
                       .residual = from_inputs.view().row_range(first, count),
                       .y = gates.view().row_range(0, count)});
    for (size_t i = 0; i < count; ++i) {
      step_once(products.kernels(), size, gates.view().row(i), cells.view().row(i), hidden.view().row(i));
      std::copy_n(hidden.view().row(i), size, y.row(row_of(i, step)));
    }
    first += count;
  }
}

}  // namespace

size_t BidirectionalLstm::widest_input() const {
  size_t widest = 0;
  for (const LstmLayer& layer : layers) {
    widest = std::max({widest, layer.forward.input.weight.cols, layer.forward.size()});
  }
  return widest;
}

void BidirectionalLstm::forward(ConstMatrixView x, std::span<const size_t> row_starts, MatrixView y,
                                const ProductRunner& products) const {
  if (x.rows == 0) return;
  Matrix before;
  for (const LstmLayer& layer : layers) {
    const size_t size = layer.forward.size();
    Matrix outputs(x.rows, 2 * size);
    const auto columns = [&](size_t begin) {
      return MatrixView{outputs.view().data + begin, x.rows, size, outputs.cols()};
    };
    run_direction(layer.forward, false, x, row_starts, columns(0), products);
    run_direction(layer.backward, true, x, row_starts, columns(size), products);
    before = std::move(outputs);
    x = before.view();
  }
  for (size_t row = 0; row < y.rows; ++row) std::copy_n(x.row(row), y.cols, y.row(row));
}

size_t Gru::widest_input() const { return std::max(input.weight.cols, recurrent.weight.cols); }

Matrix Gru::step(ConstMatrixView x, ConstMatrixView hidden, const ProductRunner& products) const {
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
