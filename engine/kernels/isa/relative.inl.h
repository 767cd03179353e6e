// The attention bias of relative positions for one head: the product of each query, and optionally each key, with the
// table's row for their distance.
//
// The written order of one bias: q·row in blocks of kAttentionBlock components, added in order; the same for k·row,
// added to it; times scale. It depends only on the two tokens, their distance and the table.
//
// The table's rows are copied once, transposed and in the order of the keys' places, so that the biases of one query
// with 16 adjacent places are one Lanes. Places without a token are computed and dropped. Included after
// attention.inl.h.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace bert {
namespace {

// Sum over d of a(d) * table[d][0 .. 16), where a(d) is a Lanes.
template <class Component>
inline Lanes relative_sum(const float* table, size_t table_stride, size_t dim, const Component& component) {
  Lanes sum = set1(0.0f);
  for (size_t begin = 0; begin < dim; begin += kAttentionBlock) {
    const size_t end = dim - begin < kAttentionBlock ? dim : begin + kAttentionBlock;
    Lanes accumulator = set1(0.0f);
    for (size_t d = begin; d < end; ++d) {
      accumulator = fma(component(d), load(table + d * table_stride), accumulator);
    }
    sum = begin == 0 ? accumulator : add(sum, accumulator);
  }
  return sum;
}

void relative_attention_bias(const RelativeArgs& args) {
  const size_t dim = args.head_dim;
  const int32_t origin = args.places[0];
  const size_t span = static_cast<size_t>(args.places[args.length - 1] - origin) + 1;
  const size_t keys_stride = padded(span, 16);
  const size_t table_stride = padded(span + keys_stride, 16);
  float* table = args.scratch;               // [head_dim][table_stride]: column j is key - query = j - (span - 1)
  float* keys = table + dim * table_stride;  // [head_dim][keys_stride]: by place
  float* row_bias = keys + dim * keys_stride;
  for (size_t d = 0; d < dim; ++d) {
    const float* nearest = args.table + (args.positions - 1) * dim + d;  // distance 0
    for (size_t j = 0; j < table_stride; ++j) {
      const ptrdiff_t distance = static_cast<ptrdiff_t>(span) - 1 - static_cast<ptrdiff_t>(j);
      table[d * table_stride + j] = j < 2 * span - 1 ? nearest[distance * static_cast<ptrdiff_t>(dim)] : 0.0f;
    }
    if (args.k == nullptr) continue;
    for (size_t place = 0; place < keys_stride; ++place) keys[d * keys_stride + place] = 0.0f;
    for (size_t key = 0; key < args.length; ++key) {
      keys[d * keys_stride + static_cast<size_t>(args.places[key] - origin)] = args.k[key * args.stride + d];
    }
  }
  for (size_t query = 0; query < args.length; ++query) {
    const float* q = args.q + query * args.stride;
    const float* columns = table + (span - 1 - static_cast<size_t>(args.places[query] - origin));
    for (size_t place = 0; place < span; place += 16) {
      Lanes sum = relative_sum(columns + place, table_stride, dim, [&](size_t d) { return set1(q[d]); });
      if (args.k != nullptr) {
        sum = add(sum, relative_sum(columns + place, table_stride, dim,
                                    [&](size_t d) { return load(keys + d * keys_stride + place); }));
      }
      store(row_bias + place, mul(sum, set1(args.scale)));
    }
    float* to = args.attention_bias + query * args.length;
    for (size_t key = 0; key < args.length; ++key) to[key] = row_bias[args.places[key] - origin];
  }
}

}  // namespace
}  // namespace bert
