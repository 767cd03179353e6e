// Compares the attention bias of relative positions, for every table, with its defined order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/engine/kernels/isa/check_data.h"
#include "tests/engine/kernels/isa/table_check.h"
#include "tests/support/compare.h"

namespace bert::test {
namespace {

// Returns consecutive places. With `gaps` they are runs, of which the last is longer than a tile and a block of keys.
std::vector<int32_t> some_places(size_t length, bool gaps) {
  std::vector<int32_t> places;
  for (size_t i = 0; i < length; ++i) {
    const size_t skipped = !gaps ? 0 : i < 20 ? i / 3 : 7;
    places.push_back(static_cast<int32_t>(i + skipped));
  }
  return places;
}

// The queries and keys of one head, and tables in which several far distances share a row.
struct RelativeCase {
  size_t length, dim, stride, first_query, queries;
  std::vector<int32_t> places, distance_rows;
  Misaligned<float> q, k, query_table, key_table;

  RelativeCase(size_t length_, size_t dim_, bool gaps, Random& random)
      : length(length_),
        dim(dim_),
        stride(dim_ + 1),
        first_query(length_ / 5),
        queries(length_ - length_ / 5 - length_ / 4),
        places(some_places(length_, gaps)),
        q(length_ * stride, [&] { return random.number(); }),
        k(length_ * stride, [&] { return random.number(); }),
        query_table(40 * (dim_ + 3), [&] { return random.number(); }),
        key_table(40 * (dim_ + 3), [&] { return random.number(); }) {
    for (int32_t i = 0; i < 70; ++i) distance_rows.push_back(i < 10 ? i : i < 50 ? 10 + i / 4 : i - 30);
  }

  // Returns the bias, [queries, length].
  std::vector<float> bias(const KernelTable& kernels, bool of_queries, bool of_keys) {
    const size_t span = static_cast<size_t>(places.back() - places.front()) + 1;
    AlignedBuffer<float> scratch = dirty_scratch(relative_scratch_floats(span, dim));
    std::vector<float> bias(queries * length, kUntouched);
    kernels.relative_attention_bias({.q = q.data(),
                                     .k = k.data(),
                                     .stride = stride,
                                     .length = length,
                                     .head_dim = dim,
                                     .places = places.data(),
                                     .first_query = first_query,
                                     .queries = queries,
                                     .query_table = of_queries ? query_table.data() : nullptr,
                                     .key_table = of_keys ? key_table.data() : nullptr,
                                     .table_stride = dim + 3,
                                     .distance_rows = distance_rows.data(),
                                     .distances = distance_rows.size(),
                                     .first_distance = -33,
                                     .scale = 0.25f,
                                     .attention_bias = bias.data(),
                                     .scratch = scratch.data()});
    return bias;
  }

  const float* row(Misaligned<float>& table, size_t query, size_t key) {
    const int32_t index = std::clamp(places[query] - places[key] + 33, 0, 69);
    return table.data() + static_cast<size_t>(distance_rows[static_cast<size_t>(index)]) * (dim + 3);
  }

  // Returns x·row in the defined order: blocks of kAttentionBlock fused multiply-adds, added in order.
  float product(const float* x, const float* table_row) const {
    float sum = 0;
    for (size_t begin = 0; begin < dim; begin += kAttentionBlock) {
      float block = 0;
      for (size_t d = begin; d < std::min(dim, begin + kAttentionBlock); ++d)
        block = std::fma(x[d], table_row[d], block);
      sum = begin == 0 ? block : sum + block;
    }
    return sum;
  }

  std::vector<float> written_bias(bool of_queries, bool of_keys) {
    std::vector<float> bias;
    for (size_t query = first_query; query < first_query + queries; ++query) {
      for (size_t key = 0; key < length; ++key) {
        const float content = product(q.data() + query * stride, row(query_table, query, key));
        const float position = product(k.data() + key * stride, row(key_table, query, key));
        bias.push_back((of_queries && of_keys ? content + position : of_queries ? content : position) * 0.25f);
      }
    }
    return bias;
  }
};

}  // namespace

void check_relative_attention_bias(const KernelTable& table) {
  for (const size_t length : {1, 2, 15, 16, 17, 64, 131}) {
    for (const size_t dim : {1, 12, 16, 33}) {
      for (const bool gaps : {false, true}) {
        Random random(length * 100 + dim);
        RelativeCase relative(length, dim, gaps, random);
        for (const auto& [of_queries, of_keys] : {std::pair{true, true}, {true, false}, {false, true}}) {
          const std::vector<float> expected = relative.written_bias(of_queries, of_keys);
          for (const KernelTable* kernels : {&kPortableKernels, &table}) {
            ASSERT_TRUE(same_bits(relative.bias(*kernels, of_queries, of_keys), expected))
                << kernels->name << ", " << length << " tokens, " << dim << ", " << gaps << of_queries << of_keys;
          }
        }
      }
    }
  }
}

}  // namespace bert::test
