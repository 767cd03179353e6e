#include "engine/layers/feed_forward.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/layers/softmax.h"

namespace bert {
namespace {

constexpr size_t kRowsOfTask = 16;
constexpr float kNotChosen = -1;  // marks an expert that is not chosen

// Sets taken to 1 for the top_k largest numbers, and to 0 for the others.   taken: [count]
void mark_largest(const float* numbers, float* taken, size_t count, size_t top_k) {
  std::fill_n(taken, count, 0.0f);
  for (size_t chosen = 0; chosen < top_k; ++chosen) {
    size_t best = count;
    for (size_t i = 0; i < count; ++i) {
      if (taken[i] == 0 && (best == count || numbers[i] > numbers[best])) best = i;
    }
    taken[best] = 1;
  }
}

// Computes the probabilities of the chosen experts from logits; the others get kNotChosen. Overwrites the logits.
void choose(const Experts& experts, float* logits, float* probabilities, float* scratch, const KernelTable& kernels) {
  const size_t count = experts.router.outs();
  if (!experts.softmax_of_chosen) {
    softmax_row(logits, probabilities, count, scratch, kernels);
    mark_largest(probabilities, logits, count, experts.top_k);
    for (size_t i = 0; i < count; ++i) {
      if (logits[i] == 0) probabilities[i] = kNotChosen;
    }
    return;
  }
  constexpr float kLeftOut = -std::numeric_limits<float>::infinity();  // exp gives the weight 0
  mark_largest(logits, probabilities, count, experts.top_k);
  for (size_t i = 0; i < count; ++i) {
    if (probabilities[i] == 0 && !std::isnan(logits[i])) logits[i] = kLeftOut;  // a NaN reaches all results
  }
  softmax_row(logits, probabilities, count, scratch, kernels);
  for (size_t i = 0; i < count; ++i) {
    if (logits[i] == kLeftOut) probabilities[i] = kNotChosen;
  }
}

bool is_chosen(float probability) { return !(probability < 0); }  // true for NaN

// Places matrices one after another in the workspace's wide matrix.
class WideMemory {
 public:
  explicit WideMemory(MatrixView wide) : next_(wide.data) {}
  MatrixView matrix(size_t rows, size_t cols) {
    const MatrixView view{next_, rows, cols, cols};
    next_ += round_up(rows * cols, kAlignment);
    return view;
  }

 private:
  float* next_;
};

// Changes [rows, both halves] to [rows, half], in place, and returns a view of the first columns.
MatrixView apply_gate(const Gate& gate, MatrixView halves, ExecutionContext& context) {
  constexpr size_t kRowsPerTask = 8;
  const MatrixView y = {halves.data, halves.rows, halves.cols / 2, halves.stride};
  const bool is_first = gate.activated == Gate::Activated::kFirst;
  const auto at_most = [](float x, float limit) { return x > limit ? limit : x; };  // keeps NaN
  const auto at_least = [](float x, float limit) { return x < limit ? limit : x; };
  const auto gate_rows = [&](size_t first, size_t rows) {
    float* activated = halves.row(first) + (is_first ? 0 : y.cols);
    float* other = halves.row(first) + (is_first ? y.cols : 0);
    for (size_t row = 0; gate.limit && row < rows; ++row) {
      for (size_t i = row * halves.stride; i < row * halves.stride + y.cols; ++i) {
        activated[i] = at_most(activated[i], *gate.limit);
        other[i] = at_least(at_most(other[i], *gate.limit), -*gate.limit) + 1;
      }
    }
    context.kernels.gate({.x = activated,
                          .gate = other,
                          .stride = halves.stride,
                          .y = y.row(first),
                          .y_stride = y.stride,
                          .rows = rows,
                          .cols = y.cols,
                          .activation = gate.activation});
  };
  context.pool.run_rows(y.rows, gate_rows, kRowsPerTask);
  return y;
}

}  // namespace

size_t Experts::wide_columns() const {
  const size_t hidden = down.front().outs();
  return 2 * router.outs() + 2 * hidden + up.front().outs() + 5 * kAlignment;  // the matrices, and room to align them
}

void Experts::forward(ConstMatrixView x, ConstMatrixView residual, MatrixView y, ExecutionContext& context) const {
  const size_t rows = x.rows, hidden = x.cols, experts = router.outs();
  WideMemory memory(context.workspace.wide(wide_columns()));
  const MatrixView logits = memory.matrix(rows, experts), probabilities = memory.matrix(rows, experts);
  const MatrixView gathered = memory.matrix(rows, hidden), outputs = memory.matrix(rows, hidden);
  const MatrixView intermediate = memory.matrix(rows, up.front().outs());
  router.forward(x, logits, context);
  context.pool.run((rows + kRowsOfTask - 1) / kRowsOfTask, [&](size_t task, size_t slot) {
    float* scratch = context.workspace.thread_scratch()[slot].data;
    for (size_t row = task * kRowsOfTask; row < std::min(rows, (task + 1) * kRowsOfTask); ++row) {
      choose(*this, logits.row(row), probabilities.row(row), scratch, context.kernels);
    }
  });

  // Index of a row among its expert's rows. It reuses the memory of the logits.
  const MatrixView& places = logits;
  const auto of_rows = [&](const auto& body) {
    context.pool.run_rows(rows, [&](size_t first, size_t count) {
      for (size_t row = first; row < first + count; ++row) body(row);
    });
  };
  of_rows([&](size_t row) { std::fill_n(y.row(row), hidden, 0.0f); });
  std::vector<uint32_t> coarse(context.coarse_rows == nullptr ? 0 : rows);
  ExecutionContext of_expert = context;
  of_expert.coarse_rows = coarse.empty() ? nullptr : coarse.data();
  for (size_t expert = 0; expert < experts; ++expert) {
    size_t count = 0;
    for (size_t row = 0; row < rows; ++row) {
      if (is_chosen(probabilities.row(row)[expert])) places.row(row)[expert] = static_cast<float>(count++);
    }
    if (count == 0) continue;
    const auto place = [&](size_t row) { return static_cast<size_t>(places.row(row)[expert]); };
    of_rows([&](size_t row) {
      if (is_chosen(probabilities.row(row)[expert])) std::copy_n(x.row(row), hidden, gathered.row(place(row)));
    });
    std::fill_n(coarse.begin(), std::min(count, coarse.size()), 0u);
    MatrixView between = intermediate.row_range(0, count);
    up[expert].forward(gathered.row_range(0, count), between, of_expert);
    if (gate) between = apply_gate(*gate, between, of_expert);
    down[expert].forward(between, outputs.row_range(0, count), of_expert);
    of_rows([&](size_t row) {
      const float probability = probabilities.row(row)[expert];
      if (!is_chosen(probability)) return;
      if (!coarse.empty()) context.coarse_rows[row] += coarse[place(row)];
      const float* output = outputs.row(place(row));
      float* to = y.row(row);
      for (size_t i = 0; i < hidden; ++i) to[i] += probability * output[i];
    });
  }
  of_rows([&](size_t row) {
    float* to = y.row(row);
    if (bias != nullptr) context.kernels.add_row(to, {bias, WeightFormat::kF32}, hidden);
    if (residual.data != nullptr) context.kernels.add_row(to, {residual.row(row), WeightFormat::kF32}, hidden);
  });
}

void FeedForward::forward(ConstMatrixView x, ConstMatrixView residual, MatrixView y, ExecutionContext& context) const {
  if (experts) return experts->forward(x, residual, y, context);
  MatrixView intermediate = context.workspace.wide(up.outs()).row_range(0, x.rows);
  up.forward(x, intermediate, context);
  if (gate) intermediate = apply_gate(*gate, intermediate, context);
  down.forward(intermediate, y, context, residual);
}

}  // namespace bert
