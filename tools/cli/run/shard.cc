#include "tools/cli/run/shard.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tools/cli/output/console.h"

namespace bert::cli {
namespace {

constexpr size_t kReadBytes = 1 << 20;

// The beginning of the first line at or after this byte.
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

InputPart shard_part(const std::string& name, const Shard& shard) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(name, error)) {
    throw InputError("cannot divide or resume " + in_quotes(name) + ": it is not a regular file");
  }
  std::ifstream file(name, std::ios::binary);
  if (!file) throw InputError("cannot open " + in_quotes(name));
  const uint64_t size = std::filesystem::file_size(name);
  // size * i / count without overflow.
  const auto share = [&](size_t i) { return size / shard.count * i + size % shard.count * i / shard.count; };
  InputPart part;
  part.begin = line_from(file, share(shard.number - 1));
  part.end = line_from(file, share(shard.number));
  part.lines_before = count_lines(file, part.begin);
  if (file.bad()) throw InputError("cannot read " + in_quotes(name));
  return part;
}

}  // namespace bert::cli
