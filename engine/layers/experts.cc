#include "engine/layers/experts.h"

#include <algorithm>
#include <cstdint>

namespace bert {
namespace {

constexpr size_t kRowsOfTask = 16;
constexpr float kNotChosen = -1;  // no probability

// Softmax of the logits, by the kernel that has the same bits on every instruction set: that of attention, where the
// logits are the keys of a query 1.
void softmax_row(const float* logits, float* probabilities, size_t count, float* scratch, const KernelTable& kernels) {
  const float one = 1;
  AttentionArgs args{};
  args.q = &one;
  args.k = args.v = logits;
  args.stride = 1;
  args.length = count;
  args.head_dim = 1;
  args.scale = 1;
  args.queries = 1;
  args.window = kNoWindow;
  args.context = probabilities;
  args.context_stride = count;
  args.scratch = scratch;
  kernels.attention_probabilities(args);
}

// The top_k largest stay, the others become kNotChosen. taken: [count], memory.
void choose(float* probabilities, float* taken, size_t count, size_t top_k) {
  std::fill_n(taken, count, 0.0f);
  for (size_t chosen = 0; chosen < top_k; ++chosen) {
    size_t best = count;
    for (size_t i = 0; i < count; ++i) {
      if (taken[i] == 0 && (best == count || probabilities[i] > probabilities[best])) best = i;
    }
    taken[best] = 1;
  }
  for (size_t i = 0; i < count; ++i) {
    if (taken[i] == 0) probabilities[i] = kNotChosen;
  }
}

bool is_chosen(float probability) { return !(probability < 0); }  // NaN is

// Matrices one after another in the workspace's wide matrix.
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

}  // namespace

size_t Experts::wide_columns() const {
  const size_t hidden = down.front().outs();
  return 2 * router.outs() + 2 * hidden + up.front().outs() + 5 * kAlignment;  // the matrices, and their alignment
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
      softmax_row(logits.row(row), probabilities.row(row), experts, scratch, context.kernels);
      choose(probabilities.row(row), logits.row(row), experts, top_k);
    }
  });

  // Which of an expert's rows a row is. In the memory of the logits, which are not needed any more.
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
    up[expert].forward(gathered.row_range(0, count), intermediate.row_range(0, count), of_expert);
    down[expert].forward(intermediate.row_range(0, count), outputs.row_range(0, count), of_expert);
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

}  // namespace bert
