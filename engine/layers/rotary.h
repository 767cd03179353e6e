// Rotary positions: query and key are rotated, two components at a time, by angles that grow with the token's place, so
// that their product depends on the distance of the two.
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
    kDynamic,  // theta grows with a text longer than the trained length
    kYarn,    // frequencies that turn less than `slow` times in the trained length divided by the factor, those of more
              // than `fast` turns as they are, and between them a mean; sines and cosines times `attention_factor`
    kLlama3,  // the same, but the mean goes by turns and not by the frequencies' numbers
  };
  struct Options {
    double theta = 10000;
    Scaling scaling = Scaling::kNone;
    double factor = 1;
    size_t trained_length = 0;  // read by kDynamic, kYarn and kLlama3
    bool wide_theta = false;    // kDynamic: theta is computed in float64, not in float32
    double fast = 32;           // by kYarn and kLlama3
    double slow = 1;
    bool whole_bounds = true;  // kYarn: the frequencies' numbers between which the mean is taken are rounded outwards
    double attention_factor = 1;
  };
  Rotary(size_t head_dim, const Options& options);

  // The cosines and then the sines of each token's angles.   table: [tokens, head_dim]
  void fill_table(const RaggedBatch& batch, MatrixView table, ExecutionContext& context) const;

  // head_dim / 2 frequencies, in radians a place, for a text of this many tokens.
  std::vector<float> frequencies(size_t length) const;

 private:
  size_t head_dim_;
  Options options_;
};

// Which components of a head are a pair, that is one angle's.
enum class RotaryPairs : uint8_t {
  kHalves,     // d and d + head_dim / 2
  kNeighbors,  // 2d and 2d + 1
};

// Rotates the first `heads` heads of each row by the row's angles. Neighbors are moved to the two halves, where they
// stay: products of heads that were moved alike are the same.   x: [tokens, at least heads * head_dim]
void rotate(MatrixView x, size_t heads, ConstMatrixView table, RotaryPairs pairs, ExecutionContext& context);

}  // namespace bert
