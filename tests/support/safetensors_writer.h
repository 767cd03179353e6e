// Makes the bytes of safetensors files for tests: valid ones from tensors, and invalid ones from any header and data.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace bert::test {

struct TestTensor {
  std::string name;
  std::string dtype;
  std::vector<size_t> shape;
  std::string data;
};

// Returns the bytes of values, as a tensor's data.
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Returns a tensor of floats 1, 2, 3, …
inline TestTensor floats(const std::string& name, const std::vector<size_t>& shape) {
  size_t size = 1;
  for (const size_t dimension : shape) size *= dimension;
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i) values[i] = static_cast<float>(i + 1);
  return {name, "F32", shape, bytes_of(values)};
}

inline std::string length_prefix(uint64_t length) {
  std::string prefix;
  for (int i = 0; i < 8; ++i) prefix += static_cast<char>(length >> 8 * i);
  return prefix;
}

// Returns a file's bytes: the header's length, then the header and the data unchanged.
inline std::string raw_image(const std::string& header, const std::string& data) {
  return length_prefix(header.size()) + header + data;
}

// Returns a file's bytes with the tensors in the given order. alignment: the header is padded so that the data begin at
// a multiple of it.
inline std::string image_of(const std::vector<TestTensor>& tensors, size_t alignment = 8) {
  std::string header = "{";
  std::string data;
  for (const TestTensor& tensor : tensors) {
    if (header.size() > 1) header += ",";
    header += "\"" + tensor.name + "\":{\"dtype\":\"" + tensor.dtype + "\",\"shape\":[";
    for (size_t i = 0; i < tensor.shape.size(); ++i) header += (i > 0 ? "," : "") + std::to_string(tensor.shape[i]);
    header += "],\"data_offsets\":[" + std::to_string(data.size()) + "," +
              std::to_string(data.size() + tensor.data.size()) + "]}";
    data += tensor.data;
  }
  header += "}";
  while (alignment > 0 && (header.size() + 8) % alignment != 0) header += " ";
  return raw_image(header, data);
}

inline std::span<const std::byte> as_bytes(const std::string& image) {
  return std::as_bytes(std::span<const char>(image.data(), image.size()));
}

}  // namespace bert::test
