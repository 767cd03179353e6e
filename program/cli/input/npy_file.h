// Reads vectors of a .npy file, as written by `embed --format npy` and numpy.save. Stateless.
// Source: numpy/lib/format.py, format versions 1.0 to 3.0.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bert::cli {

struct VectorTable {
  std::vector<float> numbers;  // [rows, size]
  size_t rows = 0;
  size_t size = 0;
};

// Reads a matrix of float32, float16 or float64 in C order; float64 is rounded to float32. Throws InputError for a file
// that cannot be read, that is not such a matrix, or that has fewer or more bytes than its header says.
VectorTable read_npy(const std::string& path);

}  // namespace bert::cli
