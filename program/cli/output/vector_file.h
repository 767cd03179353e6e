// Writes a matrix of vectors to a file, row by row: numpy's .npy, or safetensors with one tensor, "embeddings". The
// header has the same size for every number of rows, so it can be written again at the end.
// Sources: numpy/lib/format.py, format version 1.0; the safetensors format. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bert/vectors.h"
#include "program/cli/output/output.h"

namespace bert::cli {

// The type of a vector's values in a file: numbers, or the bytes of quantize_vectors (bert/vectors.h).
enum class NumberType { kFloat32, kFloat16, kInt8, kUint8, kBinary, kUbinary };
inline constexpr NumberType kNumberTypes[] = {NumberType::kFloat32, NumberType::kFloat16, NumberType::kInt8,
                                              NumberType::kUint8,   NumberType::kBinary,  NumberType::kUbinary};
std::string_view name(NumberType type);  // "float32", "float16", "int8", …
bool needs_ranges(NumberType type);

// Returns the nearest IEEE 754 binary16 number, ties to even; infinity from 65520 on.
uint16_t float16_bits(float value);

// Absolute values that round to a finite float16 are below this number.
inline constexpr float kFloat16Overflow = 65520;

struct VectorLayout {
  enum class Format { kNpy, kSafetensors };

  Format format = Format::kNpy;
  NumberType type = NumberType::kFloat32;
  size_t dimensions = 0;  // numbers of a vector

  size_t columns() const;  // values of a row in the file
  size_t row_bytes() const;
  size_t header_bytes() const;
  // Returns the header of a file with this many rows.
  std::string header(size_t rows) const;
};

class VectorFile {
 public:
  // ranges: for types that need them. rows: rows, after their header, that the output already has; 0: a new file. The
  // Output must be kSeekable.
  VectorFile(Output& output, const VectorLayout& layout, VectorRanges ranges = {}, size_t rows = 0);

  void add(std::span<const float> row);  // [dimensions]
  // Writes the header again, with the final number of rows.
  void finish();

 private:
  Output& output_;
  VectorLayout layout_;
  VectorRanges ranges_;
  size_t rows_;
  std::string row_;  // a row as written
};

}  // namespace bert::cli
