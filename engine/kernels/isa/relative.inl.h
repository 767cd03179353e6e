// Computes the attention bias of relative positions for one head: the product of each query with a table's row for its
// distance to the key, of each key with another table's row, or the sum of both.
//
// The order of operations for one bias: q·row in blocks of kAttentionBlock components, added in order; plus k·row,
// computed alike; times scale. It depends only on the two tokens, their distance and the tables.
//
// Both terms are matrix products. A table's rows are copied once, transposed and sorted by distance; a tile multiplies
// up to kQueries tokens at adjacent places with columns of the copy. The columns for the token m places after the
// tile's first begin m columns earlier, so kKeys columns have the distances of all its tokens to kKeys - kQueries
// places. Runs of tokens without a masked token between them are computed separately. Included after attention.inl.h.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace bert {
namespace {

constexpr size_t kTilePlaces = kKeys - kQueries;
constexpr size_t kTransposedKeys = 48;  // keys whose products are transposed together: whole tiles, whole Lanes
static_assert(kTransposedKeys % kQueries == 0);
// A tile's row begins one column before the previous row, so the products of adjacent keys with one query are this many
// floats apart.
constexpr size_t kDiagonalStride = kKeys - 1;
static_assert(kTransposedKeys * kDiagonalStride + kQueries + kKeys <= kRelativeBlockFloats);

struct DistancePanel {
  float* columns;  // [head_dim][stride]
  size_t stride;
};

// Sets panel[d][j] to component d of the table's row for the distance first + j * step.
inline void pack_distances(const RelativeArgs& args, const float* table, ptrdiff_t first, ptrdiff_t step, size_t count,
                           DistancePanel panel) {
  const size_t dim = args.head_dim;
  const auto last_row = static_cast<ptrdiff_t>(args.distances) - 1;
  for (size_t j = 0; j < panel.stride; j += 16) {
    const float* rows[16];
    for (size_t i = 0; i < 16; ++i) {
      const size_t column = j + i < count ? j + i : count - 1;  // past the end, any row will do
      ptrdiff_t index = first + static_cast<ptrdiff_t>(column) * step - args.first_distance;
      index = index < 0 ? 0 : index > last_row ? last_row : index;
      rows[i] = table + static_cast<size_t>(args.distance_rows[index]) * args.table_stride;
    }
    float* to = panel.columns + j;
    size_t d = 0;
    for (; d + 16 <= dim; d += 16) {
      alignas(64) float block[16 * 16];
      for (size_t i = 0; i < 16; ++i) store(block + i * 16, load(rows[i] + d));
      transpose16<F32>(block, 16, to + d * panel.stride, panel.stride);
    }
    for (; d < dim; ++d) {
      for (size_t i = 0; i < 16; ++i) to[d * panel.stride + i] = rows[i][d];
    }
  }
}

// Tokens begin to end, at adjacent places.
struct Run {
  size_t begin, end;
};

// Returns the first `most` tokens of [begin, end), or fewer, at adjacent places.
inline Run run_from(const int32_t* places, size_t begin, size_t end, size_t most) {
  Run run = {begin, begin + 1};
  while (run.end < end && run.end - begin < most && places[run.end] - places[run.end - 1] == 1) ++run.end;
  return run;
}

// Computes to = (to + sums) * scale, without the operations that are not requested; reads `sums` up to whole Lanes.
inline void put_bias(float* to, const float* sums, size_t count, bool adds, bool scales, float scale) {
  for (size_t i = 0; i < count; i += 16) {
    Lanes value = load(sums + i);
    if (adds) value = add(load_part(to + i, count - i), value);
    store_part(to + i, scales ? mul(value, set1(scale)) : value, count - i);
  }
}

// Computes the products of a run's tokens, at most kQueries, with the panel's columns for a run of other tokens: sums[m
// * kKeys + (run's tokens - 1 - m) + i] for token m and other token i.
inline void distance_sums(const RelativeArgs& args, const float* x, Run run, Run others, ptrdiff_t first_column,
                          const DistancePanel& panel, float* sums) {
  const size_t rows = run.end - run.begin;
  const ptrdiff_t column = args.places[others.begin] - args.places[run.end - 1] - first_column;
  attention_sums(rows, x + run.begin * args.stride, args.stride, panel.columns + column, panel.stride,
                 others.end - others.begin + rows - 1, args.head_dim, sums, true);
}

void add_products_of_queries(const RelativeArgs& args, Run queries, size_t count, const DistancePanel& panel) {
  const ptrdiff_t first = args.places[0] - args.places[queries.end - 1];  // key - query
  pack_distances(args, args.query_table, -first, -1, count, panel);
  alignas(64) float sums[kQueries * kKeys + 16];
  Run keys = {0, 0};
  for (; keys.end < args.length;) {
    keys = run_from(args.places, keys.end, args.length, kTilePlaces);
    for (Run tile = {queries.begin, queries.begin}; tile.end < queries.end;) {
      tile = run_from(args.places, tile.end, queries.end, kQueries);
      distance_sums(args, args.q, tile, keys, first, panel, sums);
      const size_t rows = tile.end - tile.begin;
      for (size_t m = 0; m < rows; ++m) {
        put_bias(args.attention_bias + (tile.begin - queries.begin + m) * args.length + keys.begin,
                 sums + m * kKeys + (rows - 1 - m), keys.end - keys.begin, false, args.key_table == nullptr,
                 args.scale);
      }
    }
  }
}

void add_products_of_keys(const RelativeArgs& args, Run queries, size_t count, const DistancePanel& panel,
                          float* block) {
  const ptrdiff_t first = args.places[queries.begin] - args.places[args.length - 1];  // query - key
  pack_distances(args, args.key_table, first, 1, count, panel);
  for (Run others = {queries.begin, queries.begin}; others.end < queries.end;) {
    others = run_from(args.places, others.end, queries.end, kTilePlaces);
    for (Run keys = {0, 0}; keys.end < args.length;) {
      keys = run_from(args.places, keys.end, args.length, kTransposedKeys);
      for (Run tile = {keys.begin, keys.begin}; tile.end < keys.end;) {
        tile = run_from(args.places, tile.end, keys.end, kQueries);
        // The product of key i of the block with query j goes to block[i * kDiagonalStride + kQueries - 1 + j]. The
        // next tile overwrites the last columns of this one, which no query needs.
        float* to = block + (tile.begin - keys.begin) * kDiagonalStride + kQueries - (tile.end - tile.begin);
        distance_sums(args, args.k, tile, others, first, panel, to);
      }
      for (size_t j = 0; j < others.end - others.begin; j += 16) {
        for (size_t i = 0; i < keys.end - keys.begin; i += 16) {
          alignas(64) float transposed[16 * 16];
          transpose16<F32>(block + i * kDiagonalStride + kQueries - 1 + j, kDiagonalStride, transposed, 16);
          const size_t cols = keys.end - keys.begin - i < 16 ? keys.end - keys.begin - i : 16;
          for (size_t row = 0; row < 16 && j + row < others.end - others.begin; ++row) {
            put_bias(args.attention_bias + (others.begin - queries.begin + j + row) * args.length + keys.begin + i,
                     transposed + row * 16, cols, args.query_table != nullptr, true, args.scale);
          }
        }
      }
    }
  }
}

void relative_attention_bias(const RelativeArgs& args) {
  const Run queries = {args.first_query, args.first_query + args.queries};
  const int32_t key_span = args.places[args.length - 1] - args.places[0];
  const int32_t query_span = args.places[queries.end - 1] - args.places[queries.begin];
  const size_t count = static_cast<size_t>(key_span + query_span) + 1;
  // A tile may read columns past the last one.
  const DistancePanel panel = {args.scratch + kRelativeBlockFloats, padded(count, 16) + kKeys};
  if (args.query_table != nullptr) add_products_of_queries(args, queries, count, panel);
  if (args.key_table != nullptr) add_products_of_keys(args, queries, count, panel, args.scratch);
}

}  // namespace
}  // namespace bert
