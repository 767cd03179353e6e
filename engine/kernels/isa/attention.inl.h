// Self-attention of one head of one sequence: softmax(scale q kᵀ) v. Keys are read in blocks of kAttentionKeyBlock with
// a running maximum, so that no [length, length] table of scores is needed. Only an attention bias may be such a table,
// for one head, in the thread's scratch (relative_positions.cc).
//
// The order of operations for one query's row. The score is q·k in blocks of kAttentionBlock components, added in
// order, times scale, soft-capped if there is a cap, plus the attention bias if there is one. For each block of keys in
// which the query sees a key: update the maximum; multiply the previous sums by exp(old - new); compute the weights
// exp(score - new), 0 for keys outside the window; sum the weights in 16 lanes (key i into lane i mod 16); add weights
// · v in blocks of kAttentionBlock keys, in order. At the end sum the lanes as a tree, and divide once. Blocks are
// counted from the sequence's first key, so the order depends only on the row and the sequence. A sink comes before the
// first block: it is the first maximum, and its weight 1 is in lane 0.
//
// In bfloat16 arithmetic queries, keys, values and weights are rounded, and both sums add pairs, as products of linear
// layers do (bfloat16.inl.h), in blocks of kBFloat16AttentionPairs. The 16 lanes sum unrounded weights. `Type` is F32
// or a type of F32 in bfloat16 arithmetic, and a row consists of its units.
//
// Keys and values of the head are copied once, keys transposed, both padded to whole Lanes. Each block of keys serves
// kQueryBlock queries while it is in the cache. Included after gemm.inl.h.
#pragma once

#include "engine/kernels/isa/seen_keys.inl.h"
#include "engine/kernels/kernel_table.h"

namespace bert {
namespace {

constexpr size_t kQueryTiles = 16;
constexpr size_t kQueryBlock = kQueryTiles * kQueries;

constexpr size_t padded(size_t count, size_t multiple) { return (count + multiple - 1) / multiple * multiple; }

// Units that an accumulator adds before its sum is added to those of earlier blocks.
template <class Type>
constexpr size_t kAttentionUnits = kAttentionBlock;
template <InBFloat16 Type>
constexpr size_t kAttentionUnits<Type> = 2 * kBFloat16AttentionPairs / Type::kInputs;

// Computes sums[m][V x 16] of a row of kKeys: the products of x[m][0 .. count) with panel[count], in blocks of
// kAttentionUnits added in order. `first`: sets the sums; otherwise adds to them. All blocks are in one call because
// they are short.
template <class Type, size_t M, size_t V>
[[gnu::noinline]] void short_block_sums(const float* x, size_t x_stride, const float* panel, size_t panel_stride,
                                        size_t count, float* sums, bool first) {
  do {
    const size_t steps = count < kAttentionUnits<Type> ? count : kAttentionUnits<Type>;
    for (size_t pass = 0; pass < 16; pass += kTileLanes) {
      Tile<M, V> tile;
      tile.begin(sums + pass, kKeys, first);
      tile.template steps<SumsOf<Type>>(x, x_stride, panel + pass, panel_stride, steps);
      tile.add_to(sums + pass, kKeys, first);
    }
    x += steps;
    panel += steps * panel_stride;
    count -= steps;
    first = false;
  } while (count > 0);
}

// Computes up to kKeys columns as whole tiles. x and panel: `count` units.
template <class Type = F32>
inline void attention_sums(size_t rows, const float* x, size_t x_stride, const float* panel, size_t panel_stride,
                           size_t columns, size_t count, float* sums, bool first) {
  with_rows<kQueries>(rows, [&](auto m) {
    if constexpr (kPanelLanes < 2) {
      for (size_t c = 0; c < columns; c += 16) {
        short_block_sums<Type, m.count, 1>(x, x_stride, panel + c, panel_stride, count, sums + c, first);
      }
    } else if (columns > 32) {
      short_block_sums<Type, m.count, 4>(x, x_stride, panel, panel_stride, count, sums, first);
    } else {
      short_block_sums<Type, m.count, 2>(x, x_stride, panel, panel_stride, count, sums, first);
    }
  });
}

struct PackedKeys {
  size_t first;   // first key; the first of a block
  size_t end;     // the key after the last one
  float* keys;    // [blocks][units of head_dim][kKeys]: transposed
  float* values;  // [units of keys][padded head_dim]
  size_t value_stride;
  float* unused;  // scratch after keys and values
};

template <class Type>
inline PackedKeys pack_keys_and_values(const AttentionArgs& args, KeyRange seen, bool with_values) {
  constexpr size_t kStep = kInputsOfUnit<Type>;
  const size_t dim = args.head_dim, units = units_of<Type>(dim);
  PackedKeys packed;
  packed.first = seen.begin / kKeys * kKeys;
  packed.end = seen.end;
  const size_t length = seen.end - packed.first;
  packed.keys = args.scratch;
  packed.values = args.scratch + padded(length, kKeys) * units;
  packed.value_stride = padded(dim, 32);
  packed.unused = packed.values + units_of<Type>(length) * packed.value_stride;
  for (size_t first = 0; first < length; first += kKeys) {
    float* block = packed.keys + first * units;
    for (size_t key = 0; key < kKeys; key += 16) {
      const size_t keys = length > first + key ? length - first - key : 0;
      const float* rows = args.k + (packed.first + first + key) * args.stride;
      size_t d = 0;
      if (keys >= 16) {
        for (; d + 16 * kStep <= dim; d += 16 * kStep) {
          transpose16<Type>(rows + d, args.stride, block + d / kStep * kKeys + key, kKeys);
        }
      }
      if (keys > 0 && d < dim) {
        transpose_edge<Type>(rows + d, args.stride, keys, dim - d, block + d / kStep * kKeys + key, kKeys);
      }
    }
  }
  for (size_t key = 0; with_values && key < length; key += kStep) {
    float* to = packed.values + key / kStep * packed.value_stride;
    const float* from = args.v + (packed.first + key) * args.stride;
    for (size_t d = 0; d < packed.value_stride; d += 16) {
      Lanes rows[kStep];
      for (size_t i = 0; i < kStep; ++i) {
        rows[i] = d < dim && key + i < length ? load_part(from + i * args.stride + d, dim - d) : set1(0.0f);
      }
      store(to + d, units_of_rows<Type>(rows));
    }
  }
  return packed;
}

// Rows of queries as units.
struct QueryRows {
  const float* first;
  size_t stride;
  QueryRows from(size_t row) const { return {first + row * stride, stride}; }
};

// memory: for bfloat16 arithmetic, [queries][prepared_row_floats(head_dim)].
template <class Type>
inline QueryRows query_rows(const AttentionArgs& args, size_t query, size_t queries, [[maybe_unused]] float* memory) {
  const float* q = args.q + query * args.stride;
  if constexpr (InBFloat16<Type>) {
    round_rows<Type>({.x = q, .x_stride = args.stride, .rows = queries, .in = args.head_dim, .prepared = memory});
    return {memory, prepared_row_floats<Type>(args.head_dim)};
  } else {
    return {q, args.stride};
  }
}

// Computes scores[rows][kKeys] of the queries q, the first of which is `query`, with the block of keys that starts at
// `first`. Lanes after the block's last key are -infinity, and so are keys that a query does not see.
template <class Type>
inline void block_scores(const AttentionArgs& args, QueryRows q, size_t query, size_t rows, const PackedKeys& packed,
                         size_t first, size_t count, const KeyRange* seen, float* scores) {
  const size_t units = units_of<Type>(args.head_dim);
  const float* keys = packed.keys + (first - packed.first) * units;
  attention_sums<Type>(rows, q.first, q.stride, keys, kKeys, count, units, scores, true);
  const Lanes scale = set1(args.scale);
  for (size_t m = 0; m < rows; ++m) {
    float* row = scores + m * kKeys;
    for (size_t key = 0; key < count; key += 16) store(row + key, mul(load(row + key), scale));
    if (args.soft_cap > 0) {
      const Lanes cap = set1(args.soft_cap);
      for (size_t key = 0; key < count; key += 16) store(row + key, mul(tanh(div(load(row + key), cap)), cap));
    }
    if (args.attention_bias != nullptr) {
      const auto row_of_bias = static_cast<ptrdiff_t>(query - args.first_query + m);
      const float* bias =
          args.attention_bias + row_of_bias * args.attention_bias_stride + static_cast<ptrdiff_t>(first);
      for (size_t key = 0; key < count; key += 16) {
        store(row + key, add(load(row + key), load_part(bias + key, count - key)));
      }
    }
    if (args.is_causal || args.window != kNoWindow) hide_unseen(row, first, count, seen[m], args.global_keys);
    for (size_t key = count; key < padded(count, 16); ++key) row[key] = kMinusInfinity;
  }
}

inline float row_max(const float* row, size_t count) {
  Lanes best = load(row);
  for (size_t key = 16; key < count; key += 16) best = max(best, load(row + key));
  return max_of(best);
}

// Computes row = exp(row - maximum) and adds these weights to the 16 lanes of `sum`. The row is padded to whole Lanes
// and, in bfloat16 arithmetic, written as Type's units.
template <class Type>
inline void exponentials(float* row, size_t count, float maximum, float* sum) {
  Lanes total = load(sum);
  for (size_t key = 0; key < count; key += 16) {
    const Lanes weight = exp(sub(load(row + key), set1(maximum)));
    if constexpr (InBFloat16<Type>) {
      Type::round_units(weight, row + key / kInputsOfUnit<Type>);
    } else {
      store(row + key, weight);
    }
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

// Returns the sink's score; -infinity if there is no sink.
inline float sink_of(const AttentionArgs& args) { return args.sink == nullptr ? kMinusInfinity : *args.sink; }

// The state of a tile of queries between two blocks of keys.
struct AttentionState {
  float maxima[kQueries];  // -infinity: no block yet
  alignas(64) float weight_sums[kQueries * 16];
};

// Updates the sums of weights and of weighted values, [dim / kKeys][kQueries][kKeys], of a tile of queries by a block
// of keys.
template <class Type>
inline void attend(const AttentionArgs& args, QueryRows q, size_t query, size_t rows, const PackedKeys& packed,
                   size_t first, size_t count, const KeyRange* seen, AttentionState& state, float* sums) {
  const size_t dim = args.head_dim;
  alignas(64) float scores[kQueries * kKeys];
  block_scores<Type>(args, q, query, rows, packed, first, count, seen, scores);
  // Three loops, so that no row waits for another row's maximum.
  float block_maxima[kQueries];
  for (size_t m = 0; m < rows; ++m) block_maxima[m] = row_max(scores + m * kKeys, count);
  for (size_t m = 0; m < rows; ++m) {
    if (block_maxima[m] <= state.maxima[m]) continue;  // false for NaN, which then shows in the output
    const float old = state.maxima[m];
    state.maxima[m] = block_maxima[m];
    if (old == kMinusInfinity) continue;  // all sums are 0
    const float factor = exp_of(old - block_maxima[m]);
    scale_row(state.weight_sums + m * 16, 16, factor);
    for (size_t d = 0; d < dim; d += kKeys) {
      scale_row(sums + d * kQueries + m * kKeys, dim - d < kKeys ? dim - d : kKeys, factor);
    }
  }
  for (size_t m = 0; m < rows; ++m) {
    float* weights = scores + m * kKeys;
    if (state.maxima[m] == kMinusInfinity) {  // no key seen yet
      for (size_t key = 0; key < count; key += 16) store(weights + key, set1(0.0f));
    } else {
      exponentials<Type>(weights, count, state.maxima[m], state.weight_sums + m * 16);
    }
  }
  const float* values = packed.values + (first - packed.first) / kInputsOfUnit<Type> * packed.value_stride;
  for (size_t d = 0; d < dim; d += kKeys) {
    attention_sums<Type>(rows, scores, kKeys, values + d, packed.value_stride, dim - d < kKeys ? dim - d : kKeys,
                         units_of<Type>(count), sums + d * kQueries, false);
  }
}

// Computes a tile's rows of the context from its sums.
inline void write_context(const AttentionArgs& args, size_t query, size_t rows, const AttentionState& state,
                          const float* sums) {
  for (size_t m = 0; m < rows; ++m) {
    const Lanes total = set1(sum_of(load(state.weight_sums + m * 16)));
    float* to = args.context + (query - args.first_query + m) * args.context_stride;
    for (size_t d = 0; d < args.head_dim; d += 16) {
      const float* sum = sums + d / kKeys * kQueries * kKeys + m * kKeys + d % kKeys;
      store_part(to + d, div(load(sum), total), args.head_dim - d);
    }
  }
}

template <class Type>
void attention(const AttentionArgs& args) {
  const size_t end = args.first_query + args.queries;
  KeyRange seen[kQueryBlock];
  seen_keys(args, args.first_query, 1, seen);
  seen_keys(args, end - 1, 1, seen + 1);
  const PackedKeys packed =
      pack_keys_and_values<Type>(args, {first_block(args, seen[0]), end_of_keys(args, seen[1])}, true);
  const float sink = sink_of(args);
  const size_t tile_floats = kQueries * padded(args.head_dim, kKeys);
  float* sums = packed.unused;  // [tiles][head_dim / kKeys][kQueries][kKeys]
  float* memory = sums + kQueryTiles * tile_floats;
  AttentionState states[kQueryTiles];
  for (size_t begin = args.first_query; begin < end; begin += kQueryBlock) {
    const size_t queries = end - begin < kQueryBlock ? end - begin : kQueryBlock;
    const size_t tiles = (queries + kQueries - 1) / kQueries;
    const auto rows_of = [&](size_t tile) {
      return queries - tile * kQueries < kQueries ? queries - tile * kQueries : kQueries;
    };
    seen_keys(args, begin, queries, seen);
    const QueryRows q = query_rows<Type>(args, begin, queries, memory);
    for (size_t i = 0; i < tiles * tile_floats; i += 16) store(sums + i, set1(0.0f));
    for (size_t tile = 0; tile < tiles; ++tile) {
      for (float& maximum : states[tile].maxima) maximum = sink;
      for (float& sum : states[tile].weight_sums) sum = 0.0f;
      if (sink == kMinusInfinity) continue;
      for (size_t m = 0; m < kQueries; ++m) states[tile].weight_sums[m * 16] = 1.0f;
    }
    const size_t last = end_of_keys(args, seen[queries - 1]);
    for (size_t first = first_block(args, seen[0]); first < last; first = next_block(args, first, seen[0])) {
      const size_t count = packed.end - first < kKeys ? packed.end - first : kKeys;
      for (size_t tile = 0; tile < tiles; ++tile) {
        const KeyRange* of_tile = seen + tile * kQueries;
        const size_t rows = rows_of(tile);
        const bool is_outside = of_tile[0].begin >= first + count || of_tile[rows - 1].end <= first;
        if (is_outside && first >= args.global_keys) continue;
        attend<Type>(args, q.from(tile * kQueries), begin + tile * kQueries, rows, packed, first, count, of_tile,
                     states[tile], sums + tile * tile_floats);
      }
    }
    for (size_t tile = 0; tile < tiles; ++tile) {
      write_context(args, begin + tile * kQueries, rows_of(tile), states[tile], sums + tile * tile_floats);
    }
  }
}

template <class Type>
void attention_probabilities(const AttentionArgs& args) {
  const size_t end = args.first_query + args.queries;
  KeyRange seen[2];
  seen_keys(args, args.first_query, 1, seen);
  seen_keys(args, end - 1, 1, seen + 1);
  const PackedKeys packed =
      pack_keys_and_values<Type>(args, {first_block(args, seen[0]), end_of_keys(args, seen[1])}, false);
  const float sink = sink_of(args);
  alignas(64) float scores[kKeys];
  for (size_t query = args.first_query; query < end; ++query) {
    float* to = args.context + (query - args.first_query) * args.context_stride;
    seen_keys(args, query, 1, seen);
    const QueryRows q = query_rows<Type>(args, query, 1, packed.values);
    float maximum = sink;
    for (size_t pass = 0; pass < 2; ++pass) {
      alignas(64) float weight_sums[16] = {};
      if (pass == 1 && sink != kMinusInfinity) weight_sums[0] = exp_of(sink - maximum);
      const size_t last = end_of_keys(args, *seen);
      for (size_t first = first_block(args, *seen); first < last; first = next_block(args, first, *seen)) {
        const size_t count = packed.end - first < kKeys ? packed.end - first : kKeys;
        block_scores<Type>(args, q, query, 1, packed, first, count, seen, scores);
        if (pass == 0) {
          const float block_maximum = row_max(scores, count);
          if (!(block_maximum <= maximum)) maximum = block_maximum;
          continue;
        }
        exponentials<F32>(scores, count, maximum, weight_sums);
        for (size_t key = 0; key < count; ++key) to[first + key] = scores[key];
      }
      if (pass == 0) continue;
      const float total = sum_of(load(weight_sums));
      for (size_t key = 0; key < args.length; ++key) {
        const bool is_seen = key < args.global_keys || (key >= seen->begin && key < seen->end);
        to[key] = is_seen ? to[key] / total : 0.0f;
      }
    }
  }
}

template <class Type>
constexpr AttentionKernels make_attention() {
  return {.context = attention<Type>, .probabilities = attention_probabilities<Type>};
}

}  // namespace
}  // namespace bert
