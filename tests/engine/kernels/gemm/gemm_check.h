// Checks a product of several parts against its result in float64, for tests of the providers.
#pragma once

#include <deque>
#include <vector>

#include "engine/kernels/gemm/packed_weight.h"
#include "engine/kernels/kernels.h"
#include "tests/support/random.h"

namespace bert::test {

struct ProductShape {
  size_t rows;
  size_t in;
  std::vector<size_t> outs;                  // outputs of each part
  WeightFormat format = WeightFormat::kF32;  // format of every part, unless `formats` is given
  bool with_bias = true;
  bool with_residual = true;
  Activation activation = Activation::kRelu;
  std::vector<WeightFormat> formats = {};  // format of each part
  ProductArithmetic arithmetic = ProductArithmetic::kOfFormat;

  WeightFormat format_of(size_t part) const { return formats.empty() ? format : formats[part]; }
};

class ProductCase {
 public:
  explicit ProductCase(const ProductShape& shape);

  // Returns the whole product, [rows, all outs], computed in one call.
  std::vector<float> run(const Gemm& gemm, ThreadPool& pool) const { return run(gemm, pool, 0, shape_.rows); }
  // Returns the product of some rows only.
  std::vector<float> run(const Gemm& gemm, ThreadPool& pool, size_t first_row, size_t rows) const;

  // Returns the product in float64. The activation must be the identity or relu.
  std::vector<double> exact() const;
  // Returns the largest error that an output may have: (64 + in/64 + 8) roundings of the sum of all terms' absolute
  // values. 8-bit weights add a step of x per term. bfloat16 arithmetic adds 2⁻⁷ of the terms' absolute values.
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

// Owns panels of a product's weights. Has none at first.
class PackedParts {
 public:
  explicit PackedParts(ProductCase& product);
  ~PackedParts();
  bool are_whole(const Gemm& gemm) const;  // returns whether exactly the weights that need panels have them

 private:
  ProductCase& product_;
  std::deque<PackedWeight> packed_;
};

}  // namespace bert::test
