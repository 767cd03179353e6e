// Provides a workspace, weights from a seed, and linear algebra in float64 for tests of layers.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "engine/kernels/gemm/native_gemm.h"
#include "engine/layers/execution_context.h"
#include "engine/layers/linear.h"
#include "engine/layers/norm.h"
#include "engine/tensor/ragged_batch.h"
#include "tests/support/random.h"

namespace bert::test {

class LayerSetup {
 public:
  explicit LayerSetup(const WorkspaceShape& shape, CpuFeatures features = detect_cpu_features())
      : gemm_(products_for(features)), pool_(shape.threads), context_{kernels_for(features), gemm_, pool_, workspace_} {
    workspace_.prepare(shape, gemm_);
  }
  ExecutionContext& context() { return context_; }
  Workspace& workspace() { return workspace_; }
  const Gemm& gemm() const { return gemm_; }

 private:
  NativeGemm gemm_;
  ThreadPool pool_;
  Workspace workspace_;
  ExecutionContext context_;
};

using Doubles = std::vector<double>;

inline Doubles widen(const std::vector<float>& values) { return {values.begin(), values.end()}; }

// The parameters of a dense layer. They must outlive the result of part().
struct Dense {
  size_t out, in;
  std::vector<float> weight, bias;

  Dense(size_t out_, size_t in_, Random& random)
      : out(out_),
        in(in_),
        weight(random.numbers(out * in, 1.0f / std::sqrt(static_cast<float>(in)))),
        bias(random.numbers(out, 0.1f)) {}
  LinearPart part() const { return {{weight.data(), WeightFormat::kF32, out, in}, bias.data()}; }
  Linear linear(Activation activation = Activation::kIdentity) const { return {{part()}, activation}; }

  // Returns x · weightᵀ + bias in float64.   x: [rows, in]
  Doubles exact(const Doubles& x) const {
    Doubles y;
    for (size_t row = 0; row < x.size() / in; ++row) {
      for (size_t o = 0; o < out; ++o) {
        double sum = bias[o];
        for (size_t k = 0; k < in; ++k) sum += x[row * in + k] * static_cast<double>(weight[o * in + k]);
        y.push_back(sum);
      }
    }
    return y;
  }
};

struct NormWeights {
  std::vector<float> weight, bias;
  NormWeights(size_t hidden, Random& random) : weight(random.numbers(hidden)), bias(random.numbers(hidden)) {}
  Norm layer(double eps) const { return {weight.data(), bias.data(), eps}; }

  // Returns the result in float64.   x: [rows, hidden]
  Doubles exact(const Doubles& x, double eps) const {
    const size_t hidden = weight.size();
    Doubles y;
    for (size_t row = 0; row < x.size() / hidden; ++row) {
      const double* values = x.data() + row * hidden;
      double mean = 0, variance = 0;
      for (size_t c = 0; c < hidden; ++c) mean += values[c] / static_cast<double>(hidden);
      for (size_t c = 0; c < hidden; ++c)
        variance += (values[c] - mean) * (values[c] - mean) / static_cast<double>(hidden);
      for (size_t c = 0; c < hidden; ++c) {
        y.push_back((values[c] - mean) / std::sqrt(variance + eps) * static_cast<double>(weight[c]) +
                    static_cast<double>(bias[c]));
      }
    }
    return y;
  }
};

// Returns softmax(q kᵀ / sqrt(dim)) for one head of one sequence, [length, length]. q, k: rows `stride` apart.
inline Doubles exact_probabilities(const double* q, const double* k, size_t length, size_t dim, size_t stride) {
  Doubles rows(length * length);
  for (size_t i = 0; i < length; ++i) {
    double total = 0;
    for (size_t j = 0; j < length; ++j) {
      double score = 0;
      for (size_t d = 0; d < dim; ++d) score += q[i * stride + d] * k[j * stride + d];
      total += rows[i * length + j] = std::exp(score / std::sqrt(static_cast<double>(dim)));
    }
    for (size_t j = 0; j < length; ++j) rows[i * length + j] /= total;
  }
  return rows;
}

inline void put(const std::vector<float>& values, MatrixView to) {
  for (size_t row = 0; row < to.rows; ++row) {
    for (size_t c = 0; c < to.cols; ++c) to.row(row)[c] = values[row * to.cols + c];
  }
}
inline std::vector<float> get(ConstMatrixView from) {
  std::vector<float> values;
  for (size_t row = 0; row < from.rows; ++row) values.insert(values.end(), from.row(row), from.row(row) + from.cols);
  return values;
}

// A batch of sequences of given lengths. The positions of each begin at 0. The ids come from a seed.
class Ragged {
 public:
  explicit Ragged(const std::vector<size_t>& lengths, size_t vocab = 10, size_t types = 2, uint64_t seed = 1)
      : row_starts_{0} {
    Random random(seed);
    for (const size_t length : lengths) {
      for (size_t i = 0; i < length; ++i) {
        ids_.push_back(static_cast<int32_t>(random.below(vocab)));
        type_ids_.push_back(static_cast<int32_t>(random.below(types)));
        positions_.push_back(static_cast<int32_t>(i));
      }
      row_starts_.push_back(ids_.size());
    }
  }
  RaggedBatch view() const { return {ids_, type_ids_, positions_, row_starts_, positions_}; }

 private:
  std::vector<int32_t> ids_, type_ids_, positions_;
  std::vector<size_t> row_starts_;
};

}  // namespace bert::test
