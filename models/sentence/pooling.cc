#include "models/sentence/pooling.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace bert {
namespace {

// Sums in several lanes, so that one addition need not wait for another.
double dot(std::span<const float> a, std::span<const float> b) {
  constexpr size_t kLanes = 8;
  double sums[kLanes] = {};
  const auto add = [&](size_t i, size_t lane) { sums[lane] += static_cast<double>(a[i]) * static_cast<double>(b[i]); };
  const size_t whole = a.size() / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) add(i + lane, lane);
  }
  for (size_t i = whole; i < a.size(); ++i) add(i, i - whole);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

// Returns a token's weight in the weighted mean: 1 for the first token.
double weight_of(std::span<const int32_t> places, size_t token) { return places[token] - places[0] + 1; }

double divisor_of(PoolingMode mode, std::span<const int32_t> places) {
  if (mode == PoolingMode::kMax) return 1;
  if (mode == PoolingMode::kMean) return static_cast<double>(places.size());
  if (mode == PoolingMode::kMeanSqrtLength) return std::sqrt(static_cast<double>(places.size()));
  double sum = 0;
  for (size_t token = 0; token < places.size(); ++token) sum += weight_of(places, token);
  return sum;
}

}  // namespace

void pool_tokens(PoolingMode mode, ConstMatrixView hidden, std::span<const int32_t> places, std::span<float> vector) {
  if (mode == PoolingMode::kCls || mode == PoolingMode::kLastToken) {
    std::copy_n(hidden.row(mode == PoolingMode::kCls ? 0 : hidden.rows - 1), hidden.cols, vector.begin());
    return;
  }
  const bool largest = mode == PoolingMode::kMax;
  const double divisor = divisor_of(mode, places);
  constexpr size_t kColumns = 16;  // columns per step: a cache line of each row
  for (size_t begin = 0; begin < hidden.cols; begin += kColumns) {
    const size_t count = std::min(kColumns, hidden.cols - begin);
    double columns[kColumns];
    std::copy_n(hidden.row(0) + begin, count, columns);
    for (size_t token = 1; token < hidden.rows; ++token) {
      const float* row = hidden.row(token) + begin;
      const double weight = mode == PoolingMode::kWeightedMean ? weight_of(places, token) : 1;
      for (size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(row[i]);
        columns[i] = largest ? std::max(columns[i], value) : columns[i] + weight * value;
      }
    }
    for (size_t i = 0; i < count; ++i) vector[begin + i] = static_cast<float>(columns[i] / divisor);
  }
}

std::vector<double> pooling_weights(PoolingMode mode, std::span<const int32_t> places) {
  if (mode != PoolingMode::kMean && mode != PoolingMode::kMeanSqrtLength && mode != PoolingMode::kWeightedMean) {
    return {};
  }
  std::vector<double> weights;
  for (size_t token = 0; token < places.size(); ++token) {
    weights.push_back((mode == PoolingMode::kWeightedMean ? weight_of(places, token) : 1) / divisor_of(mode, places));
  }
  return weights;
}

// Sums small groups of rows in float32 and the groups in float64: nearly as exact as float64, at the kernel's speed.
void mean_of_rows(const WeightView& table, std::span<const int32_t> ids, std::optional<int32_t> left_out,
                  const KernelTable& kernels, std::span<float> vector) {
  constexpr size_t kRows = 32;
  WeightRow rows[kRows];
  std::vector<double> sums;  // of whole groups of rows
  size_t count = 0, in_sum = 0;
  for (const int32_t id : ids) {
    if (id == left_out) continue;
    if (in_sum == kRows) {
      kernels.sum_rows(vector.data(), rows, kRows, table.cols);
      sums.resize(table.cols);
      for (size_t c = 0; c < table.cols; ++c) sums[c] += static_cast<double>(vector[c]);
      count += kRows;
      in_sum = 0;
    }
    rows[in_sum++] = table.row(static_cast<size_t>(id));
  }
  count += in_sum;
  if (count == 0) return std::fill(vector.begin(), vector.end(), 0.0f);
  kernels.sum_rows(vector.data(), rows, in_sum, table.cols);
  const auto divisor = static_cast<double>(count);
  for (size_t c = 0; c < table.cols; ++c) {
    const auto last = static_cast<double>(vector[c]);
    vector[c] = static_cast<float>((sums.empty() ? last : sums[c] + last) / divisor);
  }
}

void normalize(std::span<float> vector) {
  const double norm = std::max(std::sqrt(dot(vector, vector)), 1e-12);
  for (float& value : vector) value = static_cast<float>(static_cast<double>(value) / norm);
}

void finish_vectors(MatrixView whole, Normalizing when, MatrixView vectors) {
  for (size_t i = 0; i < whole.rows; ++i) {
    if (when == Normalizing::kBeforeCut) normalize({whole.row(i), whole.cols});
    std::copy(whole.row(i), whole.row(i) + vectors.cols, vectors.row(i));
    if (when == Normalizing::kAfterCut) normalize({vectors.row(i), vectors.cols});
  }
}

double cosine_similarity(std::span<const float> a, std::span<const float> b) {
  return similarity(SimilarityFunction::kCosine, a, b);
}

double similarity(SimilarityFunction function, std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) {
    throw Error(ErrorCode::kInvalidArgument, std::string(name(function)) + " similarity: vectors of " +
                                                 std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                                                 " values, expected the same number");
  }
  if (function == SimilarityFunction::kDot) return dot(a, b);
  if (function == SimilarityFunction::kCosine) {
    const double norms = std::sqrt(dot(a, a)) * std::sqrt(dot(b, b));
    return norms == 0 ? 0 : std::clamp(dot(a, b) / norms, -1.0, 1.0);  // rounding may exceed 1
  }
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += function == SimilarityFunction::kEuclidean ? difference * difference : std::abs(difference);
  }
  return 0 - (function == SimilarityFunction::kEuclidean ? std::sqrt(sum) : sum);  // 0, not -0, for equal vectors
}

std::string undeclared_pooling(const PoolingSettings& settings) {
  if (settings.declared) return "";
  const bool takes_last = settings.modes.front() == PoolingMode::kLastToken;
  return "the model has no modules.json, so its files do not say how to pool: " +
         std::string(takes_last ? "the last token, as of a causal language model, " : "mean over all tokens, ") +
         (settings.normalize ? "normalised" : "not normalised");
}

std::string_view name(PoolingMode mode) {
  switch (mode) {
    case PoolingMode::kCls:
      return "cls";
    case PoolingMode::kMean:
      return "mean";
    case PoolingMode::kMax:
      return "max";
    case PoolingMode::kPooler:
      return "pooler";
    case PoolingMode::kMeanSqrtLength:
      return "mean_sqrt_len_tokens";
    case PoolingMode::kWeightedMean:
      return "weightedmean";
    case PoolingMode::kLastToken:
      return "lasttoken";
  }
  return "";
}

std::string_view name(SimilarityFunction function) {
  switch (function) {
    case SimilarityFunction::kCosine:
      return "cosine";
    case SimilarityFunction::kDot:
      return "dot";
    case SimilarityFunction::kEuclidean:
      return "euclidean";
    case SimilarityFunction::kManhattan:
      return "manhattan";
  }
  return "";
}

}  // namespace bert
