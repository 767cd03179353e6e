// The numbers, weights and memory that the checks of kernels run on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/tensor/weight_format.h"
#include "tests/support/random.h"

namespace bert::test {

inline constexpr float kUntouched = -12345.0f;

// Numbers at an address that is aligned to their own size only.
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

// Weights of one format as the checkpoint would hold them.
class Weights {
 public:
  Weights(WeightFormat format, size_t count, Random& random, Numbers numbers)
      : format_(format),
        floats_(format == WeightFormat::kF32 ? count : 0, [&] { return make_number(random, numbers); }),
        halves_(format == WeightFormat::kF32 ? 0 : count, [&] {
          if (numbers != Numbers::kOrdinary && random.below(4) == 0) return static_cast<uint16_t>(random.bits());
          return random.half(format);
        }) {}
  const void* data() {
    return format_ == WeightFormat::kF32 ? static_cast<const void*>(floats_.data()) : halves_.data();
  }
  WeightRow row() { return {data(), format_}; }

 private:
  WeightFormat format_;
  Misaligned<float> floats_;
  Misaligned<uint16_t> halves_;
};

// Scratch memory full of NaN, so that reading what was not written shows.
inline AlignedBuffer<float> dirty_scratch(size_t floats) {
  AlignedBuffer<float> scratch(floats);
  std::fill_n(scratch.data(), floats, std::numeric_limits<float>::quiet_NaN());
  return scratch;
}

}  // namespace bert::test
