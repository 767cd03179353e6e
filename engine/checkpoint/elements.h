// Converts floating-point elements of any type and alignment to numbers. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "engine/tensor/dtype.h"
#include "engine/tensor/weight_format.h"

namespace bert {

template <class Element>
Element load_element(const std::byte* elements, size_t index) {
  Element element;
  std::memcpy(&element, elements + index * sizeof element, sizeof element);
  return element;
}

// Returns the weight format for floating-point numbers of a type; nullopt for other types. F64 is narrowed to F32.
inline std::optional<WeightFormat> float_format(DType dtype) {
  switch (dtype) {
    case DType::kF32:
    case DType::kF64:
      return WeightFormat::kF32;
    case DType::kF16:
      return WeightFormat::kF16;
    case DType::kBF16:
      return WeightFormat::kBF16;
    default:
      return std::nullopt;
  }
}

// Returns one element, exactly.
inline double element(const std::byte* elements, DType dtype, size_t index) {
  switch (dtype) {
    case DType::kF32:
      return load_element<float>(elements, index);
    case DType::kF16:
      return widen_f16(load_element<uint16_t>(elements, index));
    case DType::kBF16:
      return widen_bf16(load_element<uint16_t>(elements, index));
    default:
      return load_element<double>(elements, index);
  }
}

template <class Element, class Widen>
void read_elements(const std::byte* source, size_t count, float* to, const Widen& widen) {
  for (size_t i = 0; i < count; ++i) to[i] = widen(load_element<Element>(source, i));
}

// Reads row `row` of a matrix with `cols` columns as floats: F32, F16 and BF16 exactly, F64 rounded.
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
