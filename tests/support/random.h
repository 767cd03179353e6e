// Makes numbers for tests from a fixed seed, which are the same with every standard library. Also makes numbers for
// which kernels are often wrong.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/tensor/weight_format.h"

namespace bert::test {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // Returns 64 random bits, by splitmix64.
  uint64_t bits() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  size_t below(size_t limit) { return static_cast<size_t>(bits() % limit); }
  float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-23f - 1.0f; }  // -1 to 1

  // Returns a number that is about normally distributed: the sum of four uniform numbers, with standard deviation 1.15.
  float number() { return uniform() + uniform() + uniform() + uniform(); }

  // Returns zeros, denormals, the smallest and largest numbers, infinities, NaN, and ordinary numbers.
  float hostile() {
    static constexpr uint32_t kBits[] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF,
        0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x3F800000, 0x42C80000, 0xC2D00000,
    };
    const size_t choice = below(64);
    if (choice < 16) return std::bit_cast<float>(kBits[choice]);
    if (choice < 24) return std::bit_cast<float>(static_cast<uint32_t>(bits()));
    return number();
  }
  // Returns a number like hostile(), but no NaN or infinity, because one of these hides everything else in its row.
  float extreme() {
    const float value = hostile();
    return std::isfinite(value) ? value : number();
  }

  std::vector<float> numbers(size_t count, float scale = 1.0f) {
    std::vector<float> values(count);
    for (float& value : values) value = number() * scale;
    return values;
  }

  // Returns an ordinary number (2^-6 to 2) of a 16-bit type.
  uint16_t half(WeightFormat format) {
    const auto random = static_cast<uint32_t>(bits());
    const uint32_t sign = random & 0x8000u;
    const uint32_t exponent = random >> 16 & 0xFFu;
    if (format == WeightFormat::kBF16)
      return static_cast<uint16_t>(sign | (121 + exponent % 7) << 7 | (random & 0x7Fu));
    return static_cast<uint16_t>(sign | (9 + exponent % 7) << 10 | (random & 0x3FFu));
  }

 private:
  uint64_t state_;
};

}  // namespace bert::test
