// Matrices of the engine: non-owning views, the owning float matrix, and weights as stored in a checkpoint. Row-major
// throughout; the caller keeps a view's memory alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/base/aligned_buffer.h"
#include "engine/tensor/weight_format.h"

namespace bert {

// [rows, cols] floats; `stride` floats from one row to the next (stride >= cols).
template <class T>
struct BasicMatrixView {
  T* data = nullptr;
  size_t rows = 0;
  size_t cols = 0;
  size_t stride = 0;

  T* row(size_t index) const { return data + index * stride; }
  BasicMatrixView row_range(size_t begin, size_t count) const { return {data + begin * stride, count, cols, stride}; }
  operator BasicMatrixView<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols, stride}; }
};

using MatrixView = BasicMatrixView<float>;
using ConstMatrixView = BasicMatrixView<const float>;

// [rows, cols] floats, owned, 64-byte aligned, not initialised.
class Matrix {
 public:
  Matrix() = default;
  Matrix(size_t rows, size_t cols) : buffer_(rows * cols), rows_(rows), cols_(cols) {}
  MatrixView view() { return {buffer_.data(), rows_, cols_, cols_}; }
  ConstMatrixView view() const { return {buffer_.data(), rows_, cols_, cols_}; }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }

 private:
  AlignedBuffer<float> buffer_;
  size_t rows_ = 0;
  size_t cols_ = 0;
};

// Returns the bytes of one weight in this format.
constexpr size_t element_bytes(WeightFormat format) {
  switch (format) {
    case WeightFormat::kF32:
      return 4;
    case WeightFormat::kF16:
    case WeightFormat::kBF16:
      return 2;
    case WeightFormat::kI8:
    case WeightFormat::kI8Symmetric:
      return 1;
  }
  return 0;  // there is no other format
}

constexpr bool is_8_bit(WeightFormat format) { return element_bytes(format) == 1; }

// A weight [rows, cols] = [out, in], contiguous rows, in the checkpoint's own memory. `data` is aligned to the size of
// an element. The checkpoint keeps the memory alive.
struct WeightView {
  const void* data = nullptr;
  WeightFormat format = WeightFormat::kF32;
  size_t rows = 0;
  size_t cols = 0;
  // [rows] each for 8-bit weights, else null.
  const float* scales = nullptr;
  const int32_t* sums = nullptr;  // the sum of each row's integers
  ProductArithmetic arithmetic = ProductArithmetic::kOfFormat;

  // Returns whether products with this weight first quantise or round rows of x.
  bool has_prepared_rows() const { return scales != nullptr || arithmetic == ProductArithmetic::kBFloat16; }

  WeightRow row(size_t index) const {
    const auto* begin = static_cast<const std::byte*>(data) + index * cols * element_bytes(format);
    return {begin, format, scales == nullptr ? 1 : scales[index]};
  }
  WeightView row_range(size_t begin, size_t count) const {
    return {row(begin).data,
            format,
            count,
            cols,
            scales == nullptr ? nullptr : scales + begin,
            sums == nullptr ? nullptr : sums + begin,
            arithmetic};
  }
};

}  // namespace bert
