#include "engine/base/hash/xxh64.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>

namespace bert {
namespace {

static_assert(std::endian::native == std::endian::little);

// Names as in the specification.
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;

template <class Number>
uint64_t read(const std::byte* at) {
  Number number;
  std::memcpy(&number, at, sizeof(number));
  return number;
}

uint64_t round(uint64_t accumulator, uint64_t lane) { return std::rotl(accumulator + lane * kPrime2, 31) * kPrime1; }

uint64_t merge(uint64_t accumulator, uint64_t lane) { return (accumulator ^ round(0, lane)) * kPrime1 + kPrime4; }

}  // namespace

uint64_t xxh64(std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  uint64_t result = kPrime5;
  if (left >= 32) {
    uint64_t lanes[4] = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
    for (; left >= 32; at += 32, left -= 32) {
      for (size_t i = 0; i < 4; ++i) lanes[i] = round(lanes[i], read<uint64_t>(at + 8 * i));
    }
    result = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
    for (const uint64_t lane : lanes) result = merge(result, lane);
  }
  result += bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    result = std::rotl(result ^ round(0, read<uint64_t>(at)), 27) * kPrime1 + kPrime4;
  }
  if (left >= 4) {
    result = std::rotl(result ^ (read<uint32_t>(at) * kPrime1), 23) * kPrime2 + kPrime3;
    at += 4;
    left -= 4;
  }
  for (; left > 0; ++at, --left) result = std::rotl(result ^ (read<uint8_t>(at) * kPrime5), 11) * kPrime1;
  result = (result ^ (result >> 33)) * kPrime2;
  result = (result ^ (result >> 29)) * kPrime3;
  return result ^ (result >> 32);
}

std::string hexadecimal(uint64_t number) {
  std::array<char, 16> digits;
  const size_t count = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr - digits.data();
  return std::string(digits.size() - count, '0') + std::string(digits.data(), count);
}

}  // namespace bert
