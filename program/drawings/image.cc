#include "program/drawings/image.h"

#include <array>
#include <string_view>

#include "program/drawings/deflate.h"

namespace bert::drawings {
namespace {

constexpr char kUp = 2;

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](size_t i) {
      return at + i < bytes.size() ? uint32_t{static_cast<uint8_t>(bytes[at + i])} : 0;
    };
    const uint32_t bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    text += kDigits[bits >> 18];
    text += kDigits[bits >> 12 & 63];
    text += at + 1 < bytes.size() ? kDigits[bits >> 6 & 63] : '=';
    text += at + 2 < bytes.size() ? kDigits[bits & 63] : '=';
  }
  return text;
}

// Returns the checksum of a PNG's chunk: x³² + … + 1, the lowest bit first (RFC 2083, appendix 15).
uint32_t crc32(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> values{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
      values[byte] = byte;
      for (int bit = 0; bit < 8; ++bit) values[byte] = values[byte] >> 1 ^ (values[byte] & 1 ? 0xEDB88320u : 0);
    }
    return values;
  }();
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<uint8_t>(byte)) & 255];
  return ~crc;
}

std::string big_endian(uint32_t number) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 255);
  return bytes;
}

std::string chunk(const std::string& name, const std::string& data) {
  return big_endian(static_cast<uint32_t>(data.size())) + name + data + big_endian(crc32(name + data));
}

}  // namespace

std::string png_uri(std::span<const uint8_t> pixels, size_t width, size_t height) {
  std::string rows;  // each row follows its filter, which subtracts the row above
  for (size_t y = 0; y < height; ++y) {
    rows += kUp;
    for (size_t x = y * width; x < (y + 1) * width; ++x) {
      rows += static_cast<char>(pixels[x] - (y == 0 ? 0 : pixels[x - width]));
    }
  }
  const std::string header = big_endian(static_cast<uint32_t>(width)) + big_endian(static_cast<uint32_t>(height));
  constexpr char kEightBitGrey[] = {8, 0, 0, 0, 0};
  return "data:image/png;base64," +
         base64("\x89PNG\r\n\x1a\n" + chunk("IHDR", header + std::string(kEightBitGrey, sizeof kEightBitGrey)) +
                chunk("IDAT", deflated(rows)) + chunk("IEND", ""));
}

}  // namespace bert::drawings
