// Makes random rows, some of which are near an earlier one, for tests of near-duplicates and clusters.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/support/random.h"

namespace bert::test {

// Returns rows [rows, size]. Each `every`-th row is an earlier one plus noise whose length is `noise` times its own;
// their cosine is about 1 / sqrt(1 + noise²). pull: how far all rows point in one direction, as embeddings of texts do.
inline std::vector<float> planted_rows(Random& random, size_t rows, size_t size, size_t every, float noise,
                                       float pull = 0) {
  std::vector<float> vectors = random.numbers(rows * size);
  for (size_t i = 0; i < rows; ++i) {
    float* const row = vectors.data() + i * size;
    for (size_t c = 0; c < size; ++c) row[c] += pull;
    if (i == 0 || i % every != 0) continue;
    const float* const source = vectors.data() + random.below(i) * size;
    for (size_t c = 0; c < size; ++c) row[c] = source[c] + noise * row[c];
  }
  return vectors;
}

// Returns the cosine of two rows, with sums in float64 that add one product after the other.
inline double plain_cosine(const float* a, const float* b, size_t size) {
  double dot = 0, a_squares = 0, b_squares = 0;
  for (size_t c = 0; c < size; ++c) {
    dot += double{a[c]} * b[c];
    a_squares += double{a[c]} * a[c];
    b_squares += double{b[c]} * b[c];
  }
  return a_squares * b_squares > 0 ? dot / std::sqrt(a_squares * b_squares) : 0;
}

}  // namespace bert::test
