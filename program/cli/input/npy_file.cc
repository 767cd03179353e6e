#include "program/cli/input/npy_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "program/cli/input/input.h"

namespace bert::cli {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr uint32_t kMostHeaderBytes = 1 << 20;

float from_float16(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const auto fraction = static_cast<float>(bits & 1023);
  const float magnitude = exponent == 31  ? (fraction == 0 ? HUGE_VALF : std::nanf(""))
                          : exponent == 0 ? std::ldexp(fraction, -24)
                                          : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class Number>
Number read_number(std::ifstream& file) {
  Number number{};
  file.read(reinterpret_cast<char*>(&number), sizeof(number));
  return number;
}

class NpyReader {
 public:
  explicit NpyReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    std::error_code error;
    if (!file_ || !std::filesystem::is_regular_file(path, error)) {
      throw InputError("cannot open " + in_quotes(path) + ", expected a .npy file of vectors");
    }
  }

  VectorTable read() {
    const Header header = parse_header(read_header());
    const std::string_view type = header.type;
    if (type != "<f4" && type != "<f2" && type != "<f8") {
      fail("numbers of the type " + in_quotes(std::string(type)) +
           ", expected float32, float16 or float64 ('<f4', '<f2', '<f8')");
    }
    if (header.columns_first != "False") fail("columns first, expected rows first (C order)");
    VectorTable table;
    read_shape(header.shape, table);
    const size_t bytes = static_cast<size_t>(type[2] - '0');
    const uint64_t begin = static_cast<uint64_t>(file_.tellg()), found = std::filesystem::file_size(path_) - begin;
    if (found % bytes != 0 || found / bytes != table.rows * table.size) {
      fail(std::to_string(found) + " bytes of numbers, expected " + std::to_string(table.rows) + " × " +
           std::to_string(table.size) + " of " + std::to_string(bytes));
    }
    table.numbers.resize(table.rows * table.size);
    if (bytes == sizeof(float)) {
      file_.read(reinterpret_cast<char*>(table.numbers.data()), static_cast<std::streamsize>(found));
    } else {
      for (float& number : table.numbers) {
        number =
            bytes == 2 ? from_float16(read_number<uint16_t>(file_)) : static_cast<float>(read_number<double>(file_));
      }
    }
    if (!file_) fail("it cannot be read to its end");
    return table;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(in_quotes(path_) + ": " + what); }

  std::string read_header() {
    std::string magic(kMagic.size(), '\0');
    file_.read(magic.data(), static_cast<std::streamsize>(magic.size()));
    const auto version = read_number<uint8_t>(file_);
    read_number<uint8_t>(file_);
    if (!file_ || magic != kMagic || version < 1 || version > 3) fail("no .npy file of version 1 to 3");
    const uint32_t bytes = version == 1 ? read_number<uint16_t>(file_) : read_number<uint32_t>(file_);
    if (!file_ || bytes > kMostHeaderBytes) fail("a header of " + std::to_string(bytes) + " bytes");
    std::string header(bytes, '\0');
    file_.read(header.data(), bytes);
    if (!file_) fail("it ends within its header");
    return header;
  }

  // The values of the header's three keys, without quotes and parentheses.
  struct Header {
    std::string type, columns_first, shape;
  };

  // Parses a dictionary as Python writes it: keys in any order, with either kind of quotes and any white space.
  Header parse_header(std::string_view text) const {
    std::map<std::string, std::string, std::less<>> values;
    const auto next = [&] {
      text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
      return text.empty() ? '\0' : text.front();
    };
    const auto take = [&](size_t count) {
      const std::string taken(text.substr(0, count));
      text.remove_prefix(std::min(count, text.size()));
      return taken;
    };
    // Returns the text before this character, and removes both.
    const auto up_to = [&](char end) {
      take(1);
      const std::string inner = take(std::min(text.find(end), text.size()));
      if (text.empty()) fail("a header that is no dictionary");
      take(1);
      return inner;
    };
    if (next() != '{') fail("a header that is no dictionary");
    take(1);
    while (next() != '}') {
      if (next() != '\'' && next() != '"') fail("a header that is no dictionary");
      const std::string key = up_to(next());
      if (next() != ':') fail("a header that is no dictionary");
      take(1);
      const char first = next();
      values[key] = first == '('                    ? up_to(')')
                    : first == '\'' || first == '"' ? up_to(first)
                                                    : take(std::min(text.find_first_of(", \t\r\n}"), text.size()));
      if (next() == ',') take(1);
    }
    const auto value = [&](const char* key) {
      const auto found = values.find(key);
      if (found == values.end()) fail("a header without " + in_quotes(key));
      return found->second;
    };
    return {value("descr"), value("fortran_order"), value("shape")};
  }

  void read_shape(const std::string& shape, VectorTable& table) const {
    size_t* const sizes[] = {&table.rows, &table.size};
    size_t count = 0;
    for (const char *at = shape.data(), *end = at + shape.size(); at != end;) {
      if (*at == ' ' || *at == ',') {
        ++at;
        continue;
      }
      size_t number = 0;
      const auto [rest, status] = std::from_chars(at, end, number);
      if (status != std::errc() || number > SIZE_MAX >> 16) fail("the shape (" + shape + ")");
      if (count < 2) *sizes[count] = number;
      ++count;
      at = rest;
    }
    if (count != 2 || table.size == 0 || table.rows > (SIZE_MAX >> 4) / table.size) {
      fail("the shape (" + shape + "), expected (rows, numbers of a vector)");
    }
  }

  std::string path_;
  std::ifstream file_;
};

}  // namespace

VectorTable read_npy(const std::string& path) { return NpyReader(path).read(); }

}  // namespace bert::cli
