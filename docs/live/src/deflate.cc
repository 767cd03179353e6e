// zlib's format without compression: the page's pictures stay in the browser's memory.
#include "program/drawings/deflate.h"

#include <algorithm>
#include <cstdint>

namespace bert::drawings {

std::string deflated(std::string_view bytes) {
  constexpr size_t kMostInBlock = 65535;
  uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  std::string result = "\x78\x01";
  const auto add = [&](uint32_t number, int count) {
    for (int i = 0; i < count; ++i) result += static_cast<char>(number >> 8 * i & 255);
  };
  do {
    const auto count = static_cast<uint32_t>(std::min(bytes.size(), kMostInBlock));
    result += bytes.size() <= kMostInBlock ? '\1' : '\0';
    add(count, 2);
    add(~count, 2);
    result += bytes.substr(0, count);
    bytes.remove_prefix(count);
  } while (!bytes.empty());
  for (int shift = 24; shift >= 0; shift -= 8) add((b << 16 | a) >> shift, 1);
  return result;
}

}  // namespace bert::drawings
