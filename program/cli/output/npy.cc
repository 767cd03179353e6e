#include "program/cli/output/npy.h"

#include <bit>
#include <cstring>

namespace bert::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "the dtypes written here are little-endian");

template <class Number>
Array array_of(std::string name, const char* dtype, std::span<const Number> values, std::vector<size_t> shape) {
  std::string bytes(values.size_bytes(), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {std::move(name), dtype, std::move(shape), std::move(bytes)};
}

// Returns the text's code points; a byte that is not UTF-8 becomes U+FFFD.
std::u32string code_points(std::string_view text) {
  std::u32string result;
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const size_t bytes = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
    char32_t c = bytes == 1 ? first : first & (0xFFu >> (bytes + 1));
    bool valid = bytes > 0 && i + bytes <= text.size();
    for (size_t k = 1; valid && k < bytes; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      valid = (next & 0xC0) == 0x80;
      c = c << 6 | (next & 0x3F);
    }
    result += valid ? c : U'\uFFFD';
    i += valid ? bytes : 1;
  }
  return result;
}

}  // namespace

Array make_array(std::string name, std::span<const float> values, std::vector<size_t> shape) {
  return array_of(std::move(name), "<f4", values, std::move(shape));
}

Array make_array(std::string name, std::span<const double> values, std::vector<size_t> shape) {
  return array_of(std::move(name), "<f8", values, std::move(shape));
}

Array make_array(std::string name, std::span<const int32_t> values, std::vector<size_t> shape) {
  return array_of(std::move(name), "<i4", values, std::move(shape));
}

Array make_array(std::string name, std::span<const int64_t> values, std::vector<size_t> shape) {
  return array_of(std::move(name), "<i8", values, std::move(shape));
}

Array make_array(std::string name, std::span<const uint8_t> values, std::vector<size_t> shape) {
  return array_of(std::move(name), "|u1", values, std::move(shape));
}

Array make_array(std::string name, std::span<const std::string> values, std::vector<size_t> shape) {
  std::vector<std::u32string> texts;
  size_t longest = 1;  // numpy's files have no <U0
  for (const std::string& value : values) {
    texts.push_back(code_points(value));
    longest = std::max(longest, texts.back().size());
  }
  std::string bytes;
  for (std::u32string& text : texts) {
    text.resize(longest, U'\0');
    bytes.append(reinterpret_cast<const char*>(text.data()), longest * sizeof(char32_t));
  }
  return {std::move(name), "<U" + std::to_string(longest), std::move(shape), std::move(bytes)};
}

std::string npy_header(const std::string& dtype, std::span<const size_t> shape, size_t min_bytes) {
  std::string dictionary = "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i) {
    dictionary += (i > 0 ? " " : "") + std::to_string(shape[i]) + (i + 1 < shape.size() || i == 0 ? "," : "");
  }
  dictionary += "), }";
  constexpr size_t kPrefixBytes = 10;  // magic, version, length of the remainder
  size_t total = (kPrefixBytes + dictionary.size() + 1 + 63) / 64 * 64;
  total = std::max(total, min_bytes);
  const size_t rest = total - kPrefixBytes;
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(rest & 0xFF);
  header += static_cast<char>(rest >> 8);
  header += dictionary;
  header.resize(total - 1, ' ');
  header += '\n';
  return header;
}

}  // namespace bert::cli
