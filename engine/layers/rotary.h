// Rotary positions: query and key are rotated, two components at a time, by angles that grow with the token's place, so
// that their product depends only on the distance of the two tokens.
// Sources: Su et al. 2021, section 3.2; Peng et al. 2023, section 3.4 (YaRN); Grattafiori et al. 2024 (Llama 3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/layers/execution_context.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

class Rotary {
 public:
  enum class Scaling {
    kNone,
    kLinear,   // all frequencies divided by the factor
    kNtk,      // theta times the factor, frequencies divided by factor^(2 / head_dim)
    kDynamic,  // theta grows with the length of texts that are longer than the trained length
    kYarn,     // frequencies with fewer than `slow` rotations in the trained length are divided by the factor, those
               // with more than `fast` stay, those between are a mean; sines and cosines are multiplied by
               // `attention_factor`
    kLlama3,   // as kYarn, but the mean is weighted by rotations, not by the frequencies' indices
  };
  struct Options {
    double theta = 10000;
    Scaling scaling = Scaling::kNone;
    double factor = 1;
    size_t trained_length = 0;  // used by kDynamic, kYarn and kLlama3
    bool wide_theta = false;    // kDynamic: theta is computed in float64, not in float32
    double fast = 32;           // used by kYarn and kLlama3
    double slow = 1;
    bool whole_bounds = true;  // kYarn: the mean's bounds, which are indices of frequencies, are rounded outwards
    double attention_factor = 1;
  };
  Rotary(size_t head_dim, const Options& options);

  // Computes the cosines and then the sines of each token's angles.   table: [tokens, head_dim]
  void fill_table(const RaggedBatch& batch, MatrixView table, ExecutionContext& context) const;

  // Returns head_dim / 2 frequencies, in radians per place, for a text of this many tokens.
  std::vector<float> frequencies(size_t length) const;

 private:
  size_t head_dim_;
  Options options_;
};

// Which components of a head are a pair, rotated by one angle.
enum class RotaryPairs : uint8_t {
  kHalves,     // d and d + head_dim / 2
  kNeighbors,  // 2d and 2d + 1
};

// Rotates the first `heads` heads of each row by the row's angles. kNeighbors are moved to the two halves and stay
// there, because products of heads that were moved alike do not change.   x: [tokens, at least heads * head_dim]
void rotate(MatrixView x, size_t heads, ConstMatrixView table, RotaryPairs pairs, ExecutionContext& context);

}  // namespace bert
