// Relative positions: a bias of each attention score that depends on the distance of query and key. The bias comes from
// tables of vectors that the query and the key are multiplied by, from a table of numbers with one row per bucket of
// distances, or is the distance times a slope of the head.
// Sources: Shaw et al. 2018 (vectors); Raffel et al. 2020, section 2.1 (buckets); Press, Smith, Lewis 2022 (slopes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/kernel_table.h"

namespace bert {

class RelativePositions {
 public:
  static constexpr size_t kBuckets = 32;

  // Tables of vectors. A query is multiplied by the row of query_table for its distance to the key, a key by the row of
  // key_table; null: not multiplied.
  struct Vectors {
    const float* query_table;  // [rows, stride]; head h has the head_dim columns that begin at h * head_offset
    const float* key_table;    // the same shape
    size_t stride;
    size_t head_offset;
    // As in DistanceRows, which must outlive this object.
    std::span<const int32_t> distance_rows;
    ptrdiff_t first_distance;
    bool scaled;  // the products are multiplied by the scores' scale
  };
  // rows: [kBuckets, heads].
  struct Biases {
    const float* rows;
  };
  explicit RelativePositions(Vectors vectors) : vectors_(vectors) {}
  explicit RelativePositions(Biases biases) : biases_(biases) {}
  // The bias is the negative distance times the head's slope.
  struct Slopes {
    size_t heads;
  };
  explicit RelativePositions(Slopes slopes) : slopes_(slopes_of(slopes.heads)) {}

  // Returns 2^(-8/n), 2^(-16/n), … for n heads if n is a power of two. Otherwise returns the slopes for the next
  // smaller power of two, then every second slope for the next larger one, from its first on.
  static std::vector<float> slopes_of(size_t heads);

  // Returns the bias of a score of this head for distance = key - query, from biases or slopes.
  float bias(int64_t distance, size_t head, size_t heads) const {
    if (slopes_.empty()) return biases_.rows[bucket(distance) * heads + head];
    return -slopes_[head] * static_cast<float>(distance < 0 ? -distance : distance);
  }
  // The tables are null if the positions are biases or slopes.
  const Vectors& vectors() const { return vectors_; }

  // The most queries for which the bias is set at once: with 512 keys it stays in L2.
  static constexpr size_t kMaxQueries = 256;

  // Sets the attention bias of one head for args' queries. places: of the sequence's tokens, ascending. The bias stays
  // in `scratch`, scratch_floats() floats, until it is used.
  void set_attention_bias(AttentionArgs& args, std::span<const int32_t> places, size_t head, size_t heads,
                          float* scratch, const KernelTable& kernels) const;

  // Returns the floats of scratch for a sequence of `length` tokens. span: last place − first place + 1.
  static size_t scratch_floats(size_t length, size_t span, size_t head_dim);

  // Returns the bucket of key - query: half of the buckets are for each direction. Near distances have one bucket each,
  // farther ones share buckets that grow by a factor of √2, and all distances from 91 on share the last bucket.
  static size_t bucket(int64_t distance);

 private:
  Vectors vectors_{};
  Biases biases_{};
  std::vector<float> slopes_;  // for each head
};

}  // namespace bert
