// Converts vectors to smaller forms. The arithmetic is that of sentence-transformers 6 (util/quantization.py), in
// float32, so that the bytes are equal.
#include <algorithm>
#include <cmath>
#include <string>

#include "bert/error.h"
#include "bert/vectors.h"
#include "tasks/search/vector_products.h"

namespace bert {
namespace {

constexpr std::string_view kPrecisionNames[] = {"float32", "int8", "uint8", "binary", "ubinary"};
constexpr std::string_view kScanNames[] = {"float32", "int8", "binary"};
constexpr float kSteps = 255;
constexpr float kLargestInt8 = 127;

void check_ranges(const VectorRanges& ranges, size_t size) {
  if (ranges.least.size() == size && ranges.greatest.size() == size) return;
  throw Error(ErrorCode::kInvalidArgument, "ranges of " + std::to_string(ranges.least.size()) + " and " +
                                               std::to_string(ranges.greatest.size()) + " dimensions, expected " +
                                               std::to_string(size));
}

bool is_binary(VectorPrecision precision) {
  return precision == VectorPrecision::kBinary || precision == VectorPrecision::kUbinary;
}

// Packs the bits of one vector; the first number is the highest bit of a byte.
void pack_signs(std::span<const float> vector, uint8_t flip, uint8_t* bytes) {
  for (size_t i = 0; i < vector.size(); i += 8) {
    unsigned byte = 0;
    for (size_t bit = 0; bit < 8 && i + bit < vector.size(); ++bit) byte |= (vector[i + bit] > 0 ? 0x80u : 0u) >> bit;
    *bytes++ = static_cast<uint8_t>(byte) ^ flip;
  }
}

}  // namespace

std::string_view name(VectorPrecision precision) { return kPrecisionNames[static_cast<size_t>(precision)]; }
std::string_view name(ScanRows rows) { return kScanNames[static_cast<size_t>(rows)]; }

size_t vector_bytes(VectorPrecision precision, size_t size) {
  if (precision == VectorPrecision::kFloat32) return size * sizeof(float);
  return is_binary(precision) ? (size + 7) / 8 : size;
}

void include_in_ranges(VectorRanges& ranges, std::span<const float> vectors, size_t size) {
  whole_vectors(vectors.size(), size);
  for (size_t first = 0; first < vectors.size(); first += size) {
    const std::span<const float> vector = vectors.subspan(first, size);
    if (std::any_of(vector.begin(), vector.end(), [](float value) { return std::isnan(value); })) continue;
    if (ranges.least.empty()) {
      ranges.least.assign(vector.begin(), vector.end());
      ranges.greatest = ranges.least;
    }
    check_ranges(ranges, size);
    for (size_t i = 0; i < size; ++i) {
      ranges.least[i] = std::min(ranges.least[i], vector[i]);
      ranges.greatest[i] = std::max(ranges.greatest[i], vector[i]);
    }
  }
}

void quantize_vectors(std::span<const float> vectors, size_t size, VectorPrecision precision,
                      const VectorRanges& ranges, std::span<uint8_t> bytes) {
  whole_vectors(vectors.size(), size);
  const size_t row_bytes = vector_bytes(precision, size);
  const size_t rows = vectors.size() / size;
  if (bytes.size() != rows * row_bytes) {
    throw Error(ErrorCode::kInvalidArgument, std::to_string(bytes.size()) + " bytes for " + std::to_string(rows) +
                                                 " vectors, expected " + std::to_string(rows * row_bytes));
  }
  if (precision == VectorPrecision::kFloat32) {
    const auto* from = reinterpret_cast<const uint8_t*>(vectors.data());
    std::copy(from, from + bytes.size(), bytes.begin());
    return;
  }
  // Subtracting 128 from a byte in two's complement flips its highest bit.
  const uint8_t flip = precision == VectorPrecision::kInt8 || precision == VectorPrecision::kBinary ? 0x80 : 0;
  if (is_binary(precision)) {
    for (size_t row = 0; row < rows; ++row) {
      pack_signs(vectors.subspan(row * size, size), flip, bytes.data() + row * row_bytes);
    }
    return;
  }
  check_ranges(ranges, size);
  std::vector<float> steps(size);
  for (size_t i = 0; i < size; ++i) {
    steps[i] = (ranges.greatest[i] - ranges.least[i]) / kSteps;
    if (steps[i] == 0) steps[i] = 1;
  }
  for (size_t i = 0; i < vectors.size(); ++i) {
    const size_t dimension = i % size;
    const float step = std::floor((vectors[i] - ranges.least[dimension]) / steps[dimension]);
    const float value = step > 0 ? std::min(step, kSteps) : 0;  // 0 for NaN
    bytes[i] = static_cast<uint8_t>(value) ^ flip;
  }
}

float quantize_by_largest(std::span<const float> vector, std::span<int8_t> values) {
  if (values.size() != vector.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                std::to_string(values.size()) + " values for a vector of " + std::to_string(vector.size()));
  }
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::fabs(value));
  const float scale = largest / kLargestInt8;
  if (scale == 0) {
    std::fill(values.begin(), values.end(), int8_t{0});
    return 0;
  }
  constexpr float kRound = 0x1.8p23f;  // adding it rounds to an integer, ties to even
  for (size_t i = 0; i < vector.size(); ++i) {
    const float rounded = (vector[i] / scale + kRound) - kRound;
    values[i] = static_cast<int8_t>(std::clamp(rounded, -kLargestInt8, kLargestInt8));
  }
  return scale;
}

}  // namespace bert
