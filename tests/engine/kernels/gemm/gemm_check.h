// A product of several parts for tests of the providers, with the answer in float64.
#pragma once

#include <deque>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/kernels/gemm/packed_weight.h"
#include "engine/kernels/kernels.h"
#include "tests/support/random.h"

namespace bert::test {

struct ProductShape {
  size_t rows;
  size_t in;
  std::vector<size_t> outs;                  // of each part
  WeightFormat format = WeightFormat::kF32;  // of every part,
  bool with_bias = true;
  bool with_residual = true;
  Activation activation = Activation::kRelu;
  std::vector<WeightFormat> formats = {};  // or of each
  ProductArithmetic arithmetic = ProductArithmetic::kOfFormat;

  WeightFormat format_of(size_t part) const { return formats.empty() ? format : formats[part]; }
};

class ProductCase {
 public:
  explicit ProductCase(const ProductShape& shape);

  // The whole product, [rows, all outs], in one call.
  std::vector<float> run(const Gemm& gemm, ThreadPool& pool) const { return run(gemm, pool, 0, shape_.rows); }
  // The same for some rows only.
  std::vector<float> run(const Gemm& gemm, ThreadPool& pool, size_t first_row, size_t rows) const;

  // In float64. The activation is the identity or relu.
  std::vector<double> exact() const;
  // What no float's error may exceed: (64 + in/64 + 8) units of rounding of the sum of all terms' sizes, and with 8-bit
  // weights a step of x for each, or in bfloat16 arithmetic 2⁻⁷ of the terms' sizes; the largest over all outputs.
  double tolerance() const { return tolerance_; }
  size_t outs() const { return outs_; }

 private:
  friend class PackedParts;
  double quantization_error(size_t row) const;

  ProductShape shape_;
  size_t outs_ = 0;
  size_t x_stride_;
  std::vector<float> x_, residual_;
  std::vector<std::vector<float>> weights_, biases_;
  std::vector<std::vector<uint16_t>> halves_;
  std::vector<std::vector<int8_t>> bytes_;
  std::vector<std::vector<float>> scales_;
  std::vector<std::vector<int32_t>> sums_;
  std::vector<LinearPart> parts_;
  double tolerance_ = 0;
};

// While it lives, the product keeps its weights' panels, at first none.
class PackedParts {
 public:
  explicit PackedParts(ProductCase& product);
  ~PackedParts();
  bool are_whole(const Gemm& gemm) const;  // those that it keeps; it keeps no others

 private:
  ProductCase& product_;
  std::deque<PackedWeight> packed_;
};

}  // namespace bert::test
