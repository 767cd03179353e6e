// Compares each vector with each: dot products are a matrix product in which b's vectors are the weights.
#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "bert/error.h"
#include "bert/vectors.h"
#include "engine/base/cpu.h"
#include "tasks/search/vector_products.h"

namespace bert {
namespace {

constexpr size_t kBlockVectors = 512;  // vectors of b

// Returns the vectors scaled to length 1; zeros stay zeros.
std::vector<float> with_length_one(ConstMatrixView vectors) {
  std::vector<float> result;
  result.reserve(vectors.rows * vectors.cols);
  for (size_t i = 0; i < vectors.rows; ++i) {
    const float* row = vectors.row(i);
    double squares = 0;
    for (size_t c = 0; c < vectors.cols; ++c) squares += double{row[c]} * row[c];
    const double scale = squares > 0 ? 1 / std::sqrt(squares) : squares;  // NaN stays NaN
    for (size_t c = 0; c < vectors.cols; ++c) result.push_back(static_cast<float>(row[c] * scale));
  }
  return result;
}

// Returns 0 - d, so that equal vectors give 0 and not -0.
float negative_distance(SimilarityFunction function, const float* a, const float* b, size_t size) {
  double sum = 0;
  for (size_t c = 0; c < size; ++c) {
    const double difference = double{a[c]} - double{b[c]};
    sum += function == SimilarityFunction::kEuclidean ? difference * difference : std::abs(difference);
  }
  return static_cast<float>(0 - (function == SimilarityFunction::kEuclidean ? std::sqrt(sum) : sum));
}

}  // namespace

void similarities(SimilarityFunction function, std::span<const float> a, std::span<const float> b, size_t size,
                  std::span<float> out, size_t threads) {
  ConstMatrixView left{a.data(), whole_vectors(a.size(), size), size, size};
  ConstMatrixView right{b.data(), whole_vectors(b.size(), size), size, size};
  if (out.size() != left.rows * right.rows) {
    throw Error(ErrorCode::kInvalidArgument, "room for " + std::to_string(out.size()) + " similarities, expected " +
                                                 std::to_string(left.rows * right.rows));
  }
  std::vector<float> left_units, right_units;
  if (function == SimilarityFunction::kCosine) {
    left_units = with_length_one(left);
    right_units = with_length_one(right);
    left.data = left_units.data();
    right.data = right_units.data();
  }
  if (out.empty()) return;
  const bool is_product = function == SimilarityFunction::kCosine || function == SimilarityFunction::kDot;
  const VectorProducts products;
  ThreadPool pool(threads == 0 ? available_cores() : threads);
  std::deque<VectorProducts::Room> rooms(pool.size());
  pool.run((right.rows + kBlockVectors - 1) / kBlockVectors, [&](size_t task, size_t slot) {
    const size_t begin = task * kBlockVectors, count = std::min(kBlockVectors, right.rows - begin);
    const MatrixView results{out.data() + begin, left.rows, count, right.rows};
    if (is_product) return products.multiply(left, right.row(begin), results, rooms[slot]);
    for (size_t i = 0; i < left.rows; ++i) {
      for (size_t k = 0; k < count; ++k) {
        results.row(i)[k] = negative_distance(function, left.row(i), right.row(begin + k), size);
      }
    }
  });
}

}  // namespace bert
