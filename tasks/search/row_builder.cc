#include "tasks/search/row_builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "bert/error.h"

namespace bert {

double norm_of(std::span<const float> vector) {
  double squares = 0;
  for (const float value : vector) squares += static_cast<double>(value) * value;
  return std::sqrt(squares);
}

void signs_of(std::span<const float> vector, std::span<uint64_t> words) {
  std::fill(words.begin(), words.end(), uint64_t{0});
  for (size_t i = 0; i < vector.size(); ++i) words[i / 64] |= uint64_t{vector[i] > 0} << i % 64;
}

RowBuilder::RowBuilder(ScanRows scan, size_t size)
    : scan_(scan), size_(size), floats_(padded_floats(size)), small_(small_row_bytes(scan, size)) {}

void RowBuilder::convert(std::span<const float> vector, size_t row) {
  std::copy(vector.begin(), vector.end(), floats_.begin());
  const double norm = norm_of(vector);
  const bool is_finite = std::isfinite(norm);
  if (is_finite && norm > kMaxNorm) {
    throw Error(ErrorCode::kInvalidArgument,
                "vector " + std::to_string(row) + " has a length above 1e18, the most that a search takes");
  }
  if (is_finite) {
    limits_.norm = std::max(limits_.norm, norm);
  } else {
    ++unusable_;
    std::fill_n(floats_.begin(), size_, std::numeric_limits<float>::quiet_NaN());
  }
  if (scan_ == ScanRows::kBinary) {
    std::vector<uint64_t> words(sign_words(size_));
    signs_of({floats_.data(), size_}, words);
    std::memcpy(small_.data(), words.data(), small_.size());
  }
  if (scan_ != ScanRows::kInt8) return;
  std::fill(small_.begin(), small_.end(), std::byte{0});
  int8_row_ = {std::numeric_limits<float>::quiet_NaN(), 0};
  if (!is_finite) return;
  const std::span<int8_t> values(reinterpret_cast<int8_t*>(small_.data()), size_);
  int8_row_.scale = quantize_by_largest(vector, values);
  double squares = 0;
  for (size_t i = 0; i < size_; ++i) {
    int8_row_.sum += values[i];
    const double error = static_cast<double>(vector[i]) - static_cast<double>(int8_row_.scale) * values[i];
    squares += error * error;
  }
  limits_.rounding_error = std::max(limits_.rounding_error, std::sqrt(squares));
}

}  // namespace bert
