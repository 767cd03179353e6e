// Converts vectors to rows as a search reads them: padded floats, and their smaller form with the numbers for its
// scores. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bert/vectors.h"
#include "engine/base/aligned_buffer.h"
#include "engine/kernels/scan_kernel.h"

namespace bert {

// Return the number of elements of a padded row.
constexpr size_t padded_floats(size_t size) { return round_up(size, kScanFloats); }
constexpr size_t padded_ints(size_t size) { return round_up(size, kScanInts); }
constexpr size_t sign_words(size_t size) { return (size + 63) / 64; }

// Returns the bytes of a row's small form, integers or signs; 0 for floats.
constexpr size_t small_row_bytes(ScanRows scan, size_t size) {
  if (scan == ScanRows::kInt8) return padded_ints(size);
  return scan == ScanRows::kBinary ? sign_words(size) * sizeof(uint64_t) : 0;
}

// The numbers that belong to a row of integers.
struct Int8Row {
  float scale;
  int32_t sum;  // of the integers
};

// The maxima over all rows.
struct RowLimits {
  double norm = 0;            // length
  double rounding_error = 0;  // length of the difference between a row and its integers times the scale
};

// Lengths above this are rejected: products of two would be infinite in float32.
inline constexpr double kMaxNorm = 1e18;

double norm_of(std::span<const float> vector);

class RowBuilder {
 public:
  RowBuilder(ScanRows scan, size_t size);

  // Converts a vector. A vector with a NaN or an infinity becomes NaNs. Throws Error for a length above kMaxNorm; row:
  // the vector's number, for the error.
  void convert(std::span<const float> vector, size_t row);

  // The row of the last vector.
  std::span<const float> floats() const { return floats_; }    // [padded_floats(size)]
  std::span<const std::byte> small() const { return small_; }  // [small_row_bytes(scan, size)]
  Int8Row int8_row() const { return int8_row_; }
  // Returns the limits of all vectors so far.
  const RowLimits& limits() const { return limits_; }
  size_t unusable() const { return unusable_; }  // number of vectors with a NaN or an infinity

 private:
  ScanRows scan_;
  size_t size_;
  std::vector<float> floats_;
  std::vector<std::byte> small_;
  Int8Row int8_row_ = {};
  RowLimits limits_;
  size_t unusable_ = 0;
};

// Writes [sign_words(size)]: bit i of the words is 1 if vector[i] is positive.
void signs_of(std::span<const float> vector, std::span<uint64_t> words);

}  // namespace bert
