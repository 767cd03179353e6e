#include "engine/layers/relative_positions.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/aligned_buffer.h"

namespace bert {
namespace {

// Returns the floats for [queries, length], or for one row of all distances.
size_t bias_floats(size_t length) {
  return round_up(std::max(std::min(length, RelativePositions::kMaxQueries) * length, 2 * length), 16);
}

}  // namespace

size_t RelativePositions::bucket(int64_t distance) {
  constexpr size_t kHalf = kBuckets / 2;
  constexpr size_t kExact = kHalf / 2;
  const auto far = static_cast<size_t>(distance < 0 ? -distance : distance);
  size_t bucket = std::min(far, kExact);
  // kExact + ⌊2 log2(far / kExact)⌋ in integers: far² / kExact² doubles once per bucket.
  for (size_t square = 2 * kExact * kExact; bucket >= kExact && bucket + 1 < kHalf && far * far >= square;
       square *= 2) {
    ++bucket;
  }
  return bucket + (distance > 0 ? kHalf : 0);
}

std::vector<float> RelativePositions::slopes_of(size_t heads) {
  const size_t below = std::bit_floor(heads);
  const auto slope = [](size_t i, size_t count) {
    return static_cast<float>(std::exp2(-8.0 * static_cast<double>(i + 1) / static_cast<double>(count)));
  };
  std::vector<float> slopes;
  for (size_t i = 0; i < below; ++i) slopes.push_back(slope(i, below));
  for (size_t i = 0; slopes.size() < heads; i += 2) slopes.push_back(slope(i, 2 * below));
  return slopes;
}

size_t RelativePositions::scratch_floats(size_t length, size_t span, size_t head_dim) {
  return bias_floats(length) + relative_scratch_floats(span, head_dim);
}

void RelativePositions::set_attention_bias(AttentionArgs& args, std::span<const int32_t> places, size_t head,
                                           size_t heads, float* scratch, const KernelTable& kernels) const {
  const size_t length = places.size();
  args.attention_bias = scratch;
  args.attention_bias_stride = static_cast<ptrdiff_t>(length);
  if (vectors_.query_table != nullptr || vectors_.key_table != nullptr) {
    const auto of_head = [&](const float* table) {
      return table == nullptr ? nullptr : table + head * vectors_.head_offset;
    };
    kernels.relative_attention_bias({.q = args.q,
                                     .k = args.k,
                                     .stride = args.stride,
                                     .length = length,
                                     .head_dim = args.head_dim,
                                     .places = places.data(),
                                     .first_query = args.first_query,
                                     .queries = args.queries,
                                     .query_table = of_head(vectors_.query_table),
                                     .key_table = of_head(vectors_.key_table),
                                     .table_stride = vectors_.stride,
                                     .distance_rows = vectors_.distance_rows.data(),
                                     .distances = vectors_.distance_rows.size(),
                                     .first_distance = vectors_.first_distance,
                                     .scale = vectors_.scaled ? args.scale : 1.0f,
                                     .attention_bias = scratch,
                                     .scratch = scratch + bias_floats(length)});
    return;
  }
  const bool is_whole = static_cast<size_t>(places.back() - places.front()) + 1 == length;
  if (is_whole) {  // the bias depends only on key - query: one row for all queries
    const auto last = static_cast<int64_t>(length) - 1;
    for (int64_t distance = -last; distance <= last; ++distance) scratch[distance + last] = bias(distance, head, heads);
    args.attention_bias = scratch + last - args.first_query;
    args.attention_bias_stride = -1;
    return;
  }
  for (size_t i = 0; i < args.queries; ++i) {
    const int32_t place = places[args.first_query + i];
    for (size_t key = 0; key < length; ++key) scratch[i * length + key] = bias(places[key] - place, head, heads);
  }
}

}  // namespace bert
