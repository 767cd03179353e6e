// Reads .npy files of float64, such as those of the reference's outputs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace bert::test {

struct NpyArray {
  std::vector<size_t> shape;
  std::vector<double> values;

  // Returns the part [first, first + count) of the first dimension.
  std::span<const double> rows(size_t first, size_t count) const {
    size_t row = 1;
    for (size_t i = 1; i < shape.size(); ++i) row *= shape[i];
    return std::span(values).subspan(first * row, count * row);
  }
};

// Throws std::runtime_error if the file is not a C-ordered little-endian array of float64.
NpyArray read_npy(const std::filesystem::path& path);

}  // namespace bert::test
