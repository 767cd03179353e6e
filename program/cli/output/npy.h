// Writes numpy's array formats: .npy (one array) and .npz (a zip of them, not compressed), for numpy.load. Source:
// numpy/lib/format.py, format version 1.0. Little-endian machines only. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/cli/output/output.h"

namespace bert::cli {

// A named array; its values are bytes in numpy's layout.
struct Array {
  std::string name;
  std::string dtype;          // numpy's name: "<f4", "<f8", "<i4", "<i8", "|u1", "<U12"
  std::vector<size_t> shape;  // [] for a single value
  std::string bytes;          // row-major
};

Array make_array(std::string name, std::span<const float> values, std::vector<size_t> shape);
Array make_array(std::string name, std::span<const double> values, std::vector<size_t> shape);
Array make_array(std::string name, std::span<const int32_t> values, std::vector<size_t> shape);
Array make_array(std::string name, std::span<const int64_t> values, std::vector<size_t> shape);
Array make_array(std::string name, std::span<const uint8_t> values, std::vector<size_t> shape);
// Makes an array of texts in numpy's layout: UTF-32, all entries as long as the longest.
Array make_array(std::string name, std::span<const std::string> values, std::vector<size_t> shape);

// Returns the header of a .npy file, padded with spaces to a multiple of 64 bytes and at least `min_bytes`.
std::string npy_header(const std::string& dtype, std::span<const size_t> shape, size_t min_bytes = 0);

// Writes a .npz file, result by result; each result is a group of arrays. The arrays of a single result keep their
// names; those of several are named "0/ids", "1/ids", … The Output must be kSeekable.
class NpzResults {
 public:
  explicit NpzResults(Output& output);
  ~NpzResults();
  NpzResults(const NpzResults&) = delete;
  NpzResults& operator=(const NpzResults&) = delete;

  void add(std::vector<Array> arrays);
  void finish();

 private:
  void write(const Array& array, const std::string& name);

  struct Archive;
  std::unique_ptr<Archive> archive_;
  std::optional<std::vector<Array>> first_;  // kept until it is known whether there are more
  size_t results_ = 0;
};

}  // namespace bert::cli
