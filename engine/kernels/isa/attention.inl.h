// Self-attention of one head of one sequence: softmax(scale q kᵀ) v, keys in blocks of kAttentionKeyBlock with a
// running maximum, so that no [length, length] table of scores is needed. An attention bias may be such a table, for
// one head, in the thread's scratch (relative_positions.cc).
//
// The written order of one query's row: q·k in blocks of kAttentionBlock components, added in order, times scale,
// plus the attention bias if there is one.
// For each block of keys: the maximum so far; the previous sums times exp(old - new); the weights exp(score - new),
// summed in 16 lanes (key i into lane i mod 16); weights · v in blocks of kAttentionBlock keys, added in order. At the
// end the lanes' tree, and one division. It depends on the row and the sequence only.
//
// Keys and values of the head are copied once, keys transposed, both padded to whole Lanes. Included after gemm.inl.h.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace bert {
namespace {

constexpr size_t kQueries = kPanelLanes < 2 ? kRowTile : 6;  // that share a pass over the keys
constexpr float kMinusInfinity = -__builtin_inff();
constexpr size_t kKeys = kAttentionKeyBlock;

constexpr size_t padded(size_t count, size_t multiple) { return (count + multiple - 1) / multiple * multiple; }

// sums[m][V x 16] of a row of kKeys = the products of x[m][0 .. count) with panel[count], in blocks of kAttentionBlock
// steps added in order, or += them after the first. All blocks are in one call: they are short.
template <size_t M, size_t V>
[[gnu::noinline]] void short_block_sums(const float* x, size_t x_stride, const float* panel, size_t panel_stride,
                                        size_t count, float* sums, bool first) {
  do {
    const size_t steps = count < kAttentionBlock ? count : kAttentionBlock;
    Tile<M, V> tile;
    tile.begin(sums, kKeys, first);
    for (size_t k = 0; k < steps; ++k) tile.step(x + k, x_stride, panel + k * panel_stride);
    tile.add_to(sums, kKeys, first);
    x += steps;
    panel += steps * panel_stride;
    count -= steps;
    first = false;
  } while (count > 0);
}

// Up to kKeys columns, computed as whole tiles of them.
inline void attention_sums(size_t rows, const float* x, size_t x_stride, const float* panel, size_t panel_stride,
                           size_t columns, size_t count, float* sums, bool first) {
  with_rows<kQueries>(rows, [&](auto m) {
    if constexpr (kPanelLanes < 2) {
      for (size_t c = 0; c < columns; c += 16) {
        short_block_sums<m.count, 1>(x, x_stride, panel + c, panel_stride, count, sums + c, first);
      }
    } else if (columns > 32) {
      short_block_sums<m.count, 4>(x, x_stride, panel, panel_stride, count, sums, first);
    } else {
      short_block_sums<m.count, 2>(x, x_stride, panel, panel_stride, count, sums, first);
    }
  });
}

struct AttentionScratch {
  float* keys;    // [blocks][head_dim][kKeys]: transposed
  float* values;  // [length][padded head_dim]
  size_t value_stride;
};

inline AttentionScratch pack_keys_and_values(const AttentionArgs& args, bool with_values) {
  const size_t length = args.length;
  const size_t dim = args.head_dim;
  AttentionScratch packed;
  packed.keys = args.scratch;
  packed.values = args.scratch + padded(length, kKeys) * dim;
  packed.value_stride = padded(dim, 32);
  for (size_t first = 0; first < length; first += kKeys) {
    float* block = packed.keys + first * dim;
    for (size_t key = 0; key < kKeys; key += 16) {
      const size_t keys = length > first + key ? length - first - key : 0;
      const float* rows = args.k + (first + key) * args.stride;
      size_t d = 0;
      if (keys >= 16) {
        for (; d + 16 <= dim; d += 16) transpose16<F32>(rows + d, args.stride, block + d * kKeys + key, kKeys);
      }
      if (keys > 0 && d < dim)
        transpose_edge<F32>(rows + d, args.stride, keys, dim - d, block + d * kKeys + key, kKeys);
    }
  }
  if (with_values) {
    for (size_t key = 0; key < length; ++key) {
      float* to = packed.values + key * packed.value_stride;
      const float* from = args.v + key * args.stride;
      size_t d = 0;
      for (; d + 16 <= dim; d += 16) store(to + d, load(from + d));
      for (; d < packed.value_stride; ++d) to[d] = d < dim ? from[d] : 0.0f;
    }
  }
  return packed;
}

// scores[rows][kKeys] of the queries starting at `query` with a block of keys starting at `first`; the lanes after the
// block's last key hold -infinity.
inline void block_scores(const AttentionArgs& args, size_t query, size_t rows, const float* keys, size_t first,
                         size_t count, float* scores) {
  const float* q = args.q + query * args.stride;
  attention_sums(rows, q, args.stride, keys, kKeys, count, args.head_dim, scores, true);
  const Lanes scale = set1(args.scale);
  for (size_t m = 0; m < rows; ++m) {
    float* row = scores + m * kKeys;
    for (size_t key = 0; key < count; key += 16) store(row + key, mul(load(row + key), scale));
    if (args.attention_bias != nullptr) {
      const float* bias = args.attention_bias + static_cast<ptrdiff_t>(query + m) * args.attention_bias_stride +
                          static_cast<ptrdiff_t>(first);
      for (size_t key = 0; key < count; key += 16) {
        store(row + key, add(load(row + key), load_part(bias + key, count - key)));
      }
    }
    for (size_t key = count; key < padded(count, 16); ++key) row[key] = kMinusInfinity;
  }
}

inline float row_max(const float* row, size_t count) {
  Lanes best = load(row);
  for (size_t key = 16; key < count; key += 16) best = max(best, load(row + key));
  return max_of(best);
}

// row = exp(row - maximum), padded to whole Lanes; adds the weights to the 16 lanes of `sum`.
inline void exponentials(float* row, size_t count, float maximum, float* sum) {
  Lanes total = load(sum);
  for (size_t key = 0; key < count; key += 16) {
    const Lanes weight = exp(sub(load(row + key), set1(maximum)));
    store(row + key, weight);
    total = add(total, weight);
  }
  store(sum, total);
}

inline void scale_row(float* row, size_t count, float factor) {
  for (size_t i = 0; i < count; i += 16) store(row + i, mul(load(row + i), set1(factor)));
}

inline float exp_of(float x) {
  float lanes[16];
  store(lanes, exp(set1(x)));
  return lanes[0];
}

void attention(const AttentionArgs& args) {
  const AttentionScratch packed = pack_keys_and_values(args, true);
  const size_t dim = args.head_dim;
  const size_t value_stride = packed.value_stride;
  float* sums = packed.values + args.length * value_stride;  // [dim / kKeys][kQueries][kKeys]
  alignas(64) float scores[kQueries * kKeys];
  for (size_t row = 0; row < args.length; row += kQueries) {
    const size_t rows = args.length - row < kQueries ? args.length - row : kQueries;
    alignas(64) float weight_sums[kQueries * 16] = {};
    float maxima[kQueries];
    for (size_t first = 0; first < args.length; first += kKeys) {
      const size_t count = args.length - first < kKeys ? args.length - first : kKeys;
      block_scores(args, row, rows, packed.keys + first * dim, first, count, scores);
      // In three loops, so that rows do not wait for another's maximum.
      float block_maxima[kQueries];
      for (size_t m = 0; m < rows; ++m) block_maxima[m] = row_max(scores + m * kKeys, count);
      for (size_t m = 0; m < rows; ++m) {
        if (first > 0) {
          if (block_maxima[m] <= maxima[m]) continue;  // false for NaN, which then shows in the output
          const float factor = exp_of(maxima[m] - block_maxima[m]);
          scale_row(weight_sums + m * 16, 16, factor);
          for (size_t d = 0; d < dim; d += kKeys) {
            scale_row(sums + d * kQueries + m * kKeys, dim - d < kKeys ? dim - d : kKeys, factor);
          }
        }
        maxima[m] = block_maxima[m];
      }
      for (size_t m = 0; m < rows; ++m) exponentials(scores + m * kKeys, count, maxima[m], weight_sums + m * 16);
      for (size_t d = 0; d < dim; d += kKeys) {
        attention_sums(rows, scores, kKeys, packed.values + first * value_stride + d, value_stride,
                       dim - d < kKeys ? dim - d : kKeys, count, sums + d * kQueries, first == 0);
      }
    }
    for (size_t m = 0; m < rows; ++m) {
      const Lanes total = set1(sum_of(load(weight_sums + m * 16)));
      float* to = args.context + (row + m) * args.context_stride;
      for (size_t d = 0; d < dim; d += 16) {
        const float* sum = sums + d / kKeys * kQueries * kKeys + m * kKeys + d % kKeys;
        store_part(to + d, div(load(sum), total), dim - d);
      }
    }
  }
}

void attention_probabilities(const AttentionArgs& args) {
  const AttentionScratch packed = pack_keys_and_values(args, false);
  alignas(64) float scores[kKeys];
  for (size_t row = 0; row < args.length; ++row) {
    float* to = args.context + row * args.context_stride;
    float maximum = kMinusInfinity;
    for (size_t pass = 0; pass < 2; ++pass) {
      alignas(64) float weight_sums[16] = {};
      for (size_t first = 0; first < args.length; first += kKeys) {
        const size_t count = args.length - first < kKeys ? args.length - first : kKeys;
        block_scores(args, row, 1, packed.keys + first * args.head_dim, first, count, scores);
        if (pass == 0) {
          const float block_maximum = row_max(scores, count);
          if (first == 0 || !(block_maximum <= maximum)) maximum = block_maximum;
          continue;
        }
        exponentials(scores, count, maximum, weight_sums);
        for (size_t key = 0; key < count; ++key) to[first + key] = scores[key];
      }
      if (pass == 0) continue;
      const float total = sum_of(load(weight_sums));
      for (size_t key = 0; key < args.length; ++key) to[key] = to[key] / total;
    }
  }
}

}  // namespace
}  // namespace bert
