#include "engine/layers/row_attention.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace bert {

Matrix RowAttention::forward(ConstMatrixView x, const ProductRunner& products, const RowAttentionBias& bias) const {
  Matrix y(x.rows, x.cols);
  if (x.rows == 0) return y;
  const size_t head_dim = x.cols / heads;
  Matrix projected(x.rows, 3 * x.cols), context(x.rows, x.cols);
  products.multiply({.x = x, .parts = {&qkv, 1}, .y = projected.view()});
  std::vector<int32_t> places(x.rows);
  std::iota(places.begin(), places.end(), 0);

  const size_t blocks = (x.rows + kMaxAttentionQueries - 1) / kMaxAttentionQueries;
  const size_t scratch_floats = round_up(attention_scratch_floats(x.rows, head_dim), kAlignment);
  const size_t bias_floats = bias ? round_up(kMaxAttentionQueries * x.rows, kAlignment) : 0;
  AlignedBuffer<float> memory((scratch_floats + bias_floats) * products.pool().size());
  products.pool().run(heads * blocks, [&](size_t task, size_t slot) {
    const size_t head = task / blocks, first = task % blocks * kMaxAttentionQueries;
    const size_t queries = std::min(kMaxAttentionQueries, x.rows - first);
    float* scratch = memory.data() + slot * (scratch_floats + bias_floats);
    float* added = bias ? scratch + scratch_floats : nullptr;
    if (bias) bias(head, first, queries, added);
    const float* q = projected.view().data + head * head_dim;
    products.kernels().attention.context({.q = q,
                                          .k = q + x.cols,
                                          .v = q + 2 * x.cols,
                                          .stride = projected.cols(),
                                          .length = x.rows,
                                          .head_dim = head_dim,
                                          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim))),
                                          .first_query = first,
                                          .queries = queries,
                                          .is_causal = false,
                                          .window = window,
                                          .places = places.data(),
                                          .attention_bias = added,
                                          .attention_bias_stride = static_cast<ptrdiff_t>(x.rows),
                                          .sink = nullptr,
                                          .context = context.view().row(first) + head * head_dim,
                                          .context_stride = context.cols(),
                                          .scratch = scratch});
  });
  products.multiply({.x = context.view(), .parts = {&output, 1}, .y = y.view()});
  return y;
}

}  // namespace bert
