// A row of floating-point elements as floats: F32, F16 and BF16 exactly, F64 rounded. Any alignment. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/tensor/dtype.h"

namespace bert {

template <class Element, class Widen>
void read_elements(const std::byte* source, size_t count, float* to, const Widen& widen) {
  for (size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, source + i * sizeof element, sizeof element);
    to[i] = widen(element);
  }
}

// Row `row` of a matrix with `cols` columns of a floating-point type.
inline void read_row(const std::byte* matrix, DType dtype, size_t row, size_t cols, float* to) {
  const std::byte* source = matrix + row * cols * size_bytes(dtype);
  switch (dtype) {
    case DType::kF16:
      return read_elements<uint16_t>(source, cols, to, widen_f16);
    case DType::kBF16:
      return read_elements<uint16_t>(source, cols, to, widen_bf16);
    case DType::kF64:
      return read_elements<double>(source, cols, to, [](double value) { return static_cast<float>(value); });
    default:
      std::memcpy(to, source, cols * sizeof(float));
  }
}

}  // namespace bert
