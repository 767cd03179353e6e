// Rotary positions: query and key are rotated, two components at a time, by angles that grow with the token's place, so
// that their product depends on the distance of the two.
// Source: Su et al. 2021, section 3.2; pairs are (d, d + head_dim / 2), as in the reference.
#pragma once

#include <cstddef>
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
  };
  struct Options {
    double theta = 10000;
    Scaling scaling = Scaling::kNone;
    double factor = 1;
    size_t trained_length = 0;  // read by kDynamic
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

// Rotates the first `heads` heads of each row by the row's angles.   x: [tokens, at least heads * head_dim]
void rotate(MatrixView x, size_t heads, ConstMatrixView table, ExecutionContext& context);

}  // namespace bert
