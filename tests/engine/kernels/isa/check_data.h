// Makes numbers, weights and memory for the checks of kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/tensor/matrix.h"
#include "tests/support/random.h"

namespace bert::test {

inline constexpr float kUntouched = -12345.0f;

// Numbers in memory aligned only to the size of a number.
template <class T>
class Misaligned {
 public:
  template <class Make>
  Misaligned(size_t count, const Make& make) : values_(count + 1) {
    for (T& value : values_) value = make();
  }
  T* data() { return values_.data() + 1; }
  size_t size() const { return values_.size() - 1; }

 private:
  std::vector<T> values_;
};

enum class Numbers { kOrdinary, kExtreme, kHostile };

inline float make_number(Random& random, Numbers numbers) {
  if (numbers == Numbers::kHostile) return random.hostile();
  return numbers == Numbers::kExtreme ? random.extreme() : random.number();
}

// Weights [outs, in] of one format, as a checkpoint stores them.
class Weights {
 public:
  Weights(WeightFormat format, size_t outs, size_t in, Random& random, Numbers numbers)
      : format_(format),
        in_(in),
        floats_(format == WeightFormat::kF32 ? outs * in : 0, [&] { return make_number(random, numbers); }),
        halves_(is_half() ? outs * in : 0,
                [&] {
                  if (numbers != Numbers::kOrdinary && random.below(4) == 0) {
                    return static_cast<uint16_t>(random.bits());
                  }
                  return random.half(format);
                }),
        bytes_(is_int8() ? outs * in : 0, [&] { return static_cast<int8_t>(random.bits()); }),
        scales_(is_int8() ? outs : 0, [&] { return std::abs(make_number(random, numbers)) / 64; }),
        sums_(is_int8() ? outs : 0, [] { return 0; }) {
    for (size_t i = 0; i < bytes_.size(); ++i) sums_.data()[i / in] += bytes_.data()[i];
  }
  const void* data() {
    if (is_int8()) return bytes_.data();
    return is_half() ? static_cast<const void*>(halves_.data()) : floats_.data();
  }
  const float* scales() { return is_int8() ? scales_.data() : nullptr; }
  const int32_t* sums() { return is_int8() ? sums_.data() : nullptr; }
  WeightRow row(size_t index = 0) {
    const auto* begin = static_cast<const std::byte*>(data()) + index * in_ * element_bytes(format_);
    return {begin, format_, is_int8() ? scales_.data()[index] : 1};
  }

 private:
  bool is_half() const { return format_ == WeightFormat::kF16 || format_ == WeightFormat::kBF16; }
  bool is_int8() const { return format_ == WeightFormat::kI8 || format_ == WeightFormat::kI8Symmetric; }

  WeightFormat format_;
  size_t in_;
  Misaligned<float> floats_;
  Misaligned<uint16_t> halves_;
  Misaligned<int8_t> bytes_;
  Misaligned<float> scales_;
  Misaligned<int32_t> sums_;
};

// Returns scratch memory full of NaN, so that a read of memory that was not written is visible.
inline AlignedBuffer<float> dirty_scratch(size_t floats) {
  AlignedBuffer<float> scratch(floats);
  std::fill_n(scratch.data(), floats, std::numeric_limits<float>::quiet_NaN());
  return scratch;
}

}  // namespace bert::test
