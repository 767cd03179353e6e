#include "program/server/routes/base64.h"

#include <bit>

namespace bert::server {

static_assert(std::endian::native == std::endian::little, "floats are sent as they are in memory");

std::string base64(std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t given = bytes.size() - i;
    const uint32_t group = static_cast<uint32_t>(bytes[i]) << 16 |
                           static_cast<uint32_t>(given > 1 ? bytes[i + 1] : 0) << 8 |
                           static_cast<uint32_t>(given > 2 ? bytes[i + 2] : 0);
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & 63];
    text += given > 1 ? kDigits[group >> 6 & 63] : '=';
    text += given > 2 ? kDigits[group & 63] : '=';
  }
  return text;
}

std::string base64(std::span<const float> values) {
  return base64(std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()));
}

}  // namespace bert::server
