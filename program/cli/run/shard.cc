#include "program/cli/run/shard.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "program/cli/input/column_records.h"
#include "program/cli/input/line_reader.h"

namespace bert::cli {
namespace {

constexpr size_t kReadBytes = 1 << 20;

// Returns the beginning of the first line at or after this byte.
uint64_t line_from(std::ifstream& file, uint64_t byte) {
  if (byte == 0) return 0;
  file.clear();
  file.seekg(static_cast<std::streamoff>(byte - 1));
  for (std::istreambuf_iterator<char> at(file), end; at != end; ++at, ++byte) {
    if (*at == '\n') return byte;
  }
  return byte - 1;  // the file's end
}

size_t count_lines(std::ifstream& file, uint64_t bytes) {
  file.clear();
  file.seekg(0);
  std::vector<char> buffer(kReadBytes);
  size_t lines = 0;
  while (bytes > 0 && file) {
    file.read(buffer.data(), static_cast<std::streamsize>(std::min<uint64_t>(buffer.size(), bytes)));
    lines += static_cast<size_t>(std::count(buffer.data(), buffer.data() + file.gcount(), '\n'));
    bytes -= static_cast<uint64_t>(file.gcount());
  }
  return lines;
}

// Finds the beginnings of the first records at or after two ascending bytes, and the number of lines before each. The
// first record, the names, belongs to the first part.
class RecordParts {
 public:
  RecordParts(std::ifstream& file, char separator, uint64_t begin, uint64_t end) : wanted_{begin, end} {
    std::vector<char> buffer(kReadBytes);
    RecordEnds ends(separator);
    while (found_ < 2 && file) {
      file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      std::string_view bytes(buffer.data(), static_cast<size_t>(file.gcount()));
      if (byte_ == 0 && bytes.starts_with(kByteOrderMark)) {
        byte_ = kByteOrderMark.size();
        bytes.remove_prefix(byte_);
      }
      for (const char c : bytes) {
        ++byte_;
        if (c == '\n') ++lines_;
        if (ends.add(c)) take();
      }
    }
    while (found_ < 2) places_[found_++] = {byte_, lines_};  // at the file's end
  }

  uint64_t begin() const { return wanted_[0] == 0 ? 0 : places_[0].byte; }
  size_t lines_before() const { return wanted_[0] == 0 ? 0 : places_[0].lines; }
  uint64_t end() const { return places_[1].byte; }

 private:
  struct Place {
    uint64_t byte = 0;
    size_t lines = 0;
  };

  void take() {
    while (found_ < 2 && byte_ >= wanted_[found_]) places_[found_++] = {byte_, lines_};
  }

  std::array<uint64_t, 2> wanted_;
  std::array<Place, 2> places_;
  size_t found_ = 0;
  uint64_t byte_ = 0;
  size_t lines_ = 0;
};

}  // namespace

Shard parse_shard(const std::string& text) {
  const auto number = [](const char* begin, const char* end, size_t& value) {
    const auto [rest, status] = std::from_chars(begin, end, value);
    return status == std::errc() && rest == end;
  };
  const size_t slash = std::min(text.find('/'), text.size());
  const char* const middle = text.data() + slash;
  const char* const end = text.data() + text.size();
  Shard shard;
  if (middle == end || !number(text.data(), middle, shard.number) || !number(middle + 1, end, shard.count) ||
      shard.number < 1 || shard.number > shard.count) {
    throw ValueError("--shard", in_quotes(text) + ": expected I/N, with I from 1 to N");
  }
  return shard;
}

std::string shard_text(const Shard& shard) { return std::to_string(shard.number) + "/" + std::to_string(shard.count); }

InputPart shard_part(const std::string& name, const Shard& shard, char separator) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(name, error)) {
    throw InputError("cannot divide or resume " + in_quotes(name) + ": it is not a regular file");
  }
  std::ifstream file(name, std::ios::binary);
  if (!file) throw InputError("cannot open " + in_quotes(name));
  const uint64_t size = std::filesystem::file_size(name, error);
  if (error) throw InputError("cannot read " + in_quotes(name) + ": " + error.message());
  // size * i / count without overflow.
  const auto share = [&](size_t i) { return size / shard.count * i + size % shard.count * i / shard.count; };
  InputPart part;
  if (separator != '\0') {
    const RecordParts parts(file, separator, share(shard.number - 1), share(shard.number));
    if (file.bad()) throw InputError("cannot read " + in_quotes(name));
    part.begin = parts.begin();
    part.lines_before = parts.lines_before();
    part.end = parts.end();
    return part;
  }
  part.begin = line_from(file, share(shard.number - 1));
  part.end = line_from(file, share(shard.number));
  part.lines_before = count_lines(file, part.begin);
  if (file.bad()) throw InputError("cannot read " + in_quotes(name));
  return part;
}

}  // namespace bert::cli
