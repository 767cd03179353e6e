#include "tests/engine/kernels/gemm/gemm_check.h"

#include <algorithm>
#include <cmath>

#include "engine/tensor/dtype.h"

namespace bert::test {

ProductCase::ProductCase(const ProductShape& shape) : shape_(shape), x_stride_(shape.in + 5) {
  Random random(shape.rows * 31 + shape.in);
  x_ = random.numbers(shape.rows * x_stride_);
  for (const size_t out : shape.outs) {
    const WeightFormat format = shape.format_of(weights_.size());
    outs_ += out;
    std::vector<float> weight = random.numbers(out * shape.in);
    std::vector<uint16_t> half(element_bytes(format) == 2 ? out * shape.in : 0);
    std::vector<int8_t> byte(element_bytes(format) == 1 ? out * shape.in : 0);
    std::vector<float> scales(byte.empty() ? 0 : out, 0x1p-6f);
    std::vector<int32_t> sums(scales.size());
    for (size_t i = 0; i < byte.size(); ++i) {
      byte[i] = static_cast<int8_t>(random.bits());
      sums[i / shape.in] += byte[i];
      weight[i] = static_cast<float>(byte[i]) * 0x1p-6f;
    }
    for (size_t i = 0; i < half.size(); ++i) {
      half[i] = random.half(format);
      weight[i] = format == WeightFormat::kF16 ? widen_f16(half[i]) : widen_bf16(half[i]);
    }
    weights_.push_back(std::move(weight));
    halves_.push_back(std::move(half));
    bytes_.push_back(std::move(byte));
    scales_.push_back(std::move(scales));
    sums_.push_back(std::move(sums));
    biases_.push_back(random.numbers(out));
  }
  residual_ = random.numbers(shape.rows * (outs_ + 3));
  for (size_t i = 0; i < shape.outs.size(); ++i) {
    const WeightFormat format = shape.format_of(i);
    WeightView weight{weights_[i].data(), format, shape.outs[i], shape.in};
    if (element_bytes(format) == 2) weight.data = halves_[i].data();
    if (element_bytes(format) == 1) {
      weight.data = bytes_[i].data();
      weight.scales = scales_[i].data();
      weight.sums = sums_[i].data();
    }
    weight.arithmetic = shape.arithmetic;
    parts_.push_back({weight, shape.with_bias ? biases_[i].data() : nullptr});
  }
  const double rounded = shape.arithmetic == ProductArithmetic::kBFloat16 ? 0x1.02p-7 : 0;
  const double unit = (72.0 + static_cast<double>(shape.in) / 64) * 0x1p-24 + rounded;
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t part = 0; part < weights_.size(); ++part) {
      const std::vector<float>& weight = weights_[part];
      const double rounding = element_bytes(shape.format_of(part)) == 1 ? quantization_error(row) : 0;
      for (size_t out = 0; shape.in > 0 && out < weight.size() / shape.in; ++out) {
        double sizes = 8, weights = 0;
        for (size_t k = 0; k < shape.in; ++k) {
          weights += std::abs(static_cast<double>(weight[out * shape.in + k]));
          sizes +=
              std::abs(static_cast<double>(x_[row * x_stride_ + k]) * static_cast<double>(weight[out * shape.in + k]));
        }
        tolerance_ = std::max(tolerance_, unit * sizes + rounding * weights);
      }
    }
  }
}

// Returns the largest error of a quantised x: half a step, or a whole step if a zero point is clamped or rounded.
double ProductCase::quantization_error(size_t row) const {
  const float* x = x_.data() + row * x_stride_;
  const auto [least, most] = std::minmax_element(x, x + shape_.in);
  return 1.01 * 2 * std::max(std::abs(static_cast<double>(*least)), std::abs(static_cast<double>(*most))) / 255;
}

std::vector<float> ProductCase::run(const Gemm& gemm, ThreadPool& pool, size_t first_row, size_t rows) const {
  std::vector<AlignedBuffer<float>> memory;
  std::vector<ScratchView> scratch;
  for (size_t slot = 0; slot < pool.size(); ++slot) {
    memory.emplace_back(gemm.scratch_floats(shape_.in));
    scratch.push_back({memory.back().data(), memory.back().size()});
  }
  AlignedBuffer<float> shared(gemm.shared_scratch_floats(rows, shape_.in));
  const size_t stride = outs_ + 7;
  std::vector<float> y(rows * stride, -1.0f);
  Product product{.x = {x_.data() + first_row * x_stride_, rows, shape_.in, x_stride_},
                  .parts = parts_,
                  .activation = shape_.activation,
                  .y = {y.data(), rows, outs_, stride}};
  if (shape_.with_residual) product.residual = {residual_.data() + first_row * (outs_ + 3), rows, outs_, outs_ + 3};
  gemm.multiply(product, pool, {scratch, {shared.data(), shared.size()}});
  std::vector<float> packed;
  for (size_t row = 0; row < rows; ++row) packed.insert(packed.end(), &y[row * stride], &y[row * stride] + outs_);
  return packed;
}

PackedParts::PackedParts(ProductCase& product) : product_(product) {
  for (LinearPart& part : product_.parts_) part.packed = &packed_.emplace_back();
}
PackedParts::~PackedParts() {
  for (LinearPart& part : product_.parts_) part.packed = nullptr;
}
bool PackedParts::are_whole(const Gemm& gemm) const {
  return std::all_of(product_.parts_.begin(), product_.parts_.end(), [&](const LinearPart& part) {
    return (part.packed->panels() != nullptr) == (gemm.packed_floats(part.weight) > 0);
  });
}

std::vector<double> ProductCase::exact() const {
  std::vector<double> y;
  for (size_t row = 0; row < shape_.rows; ++row) {
    size_t column = 0;
    for (size_t part = 0; part < shape_.outs.size(); ++part) {
      for (size_t out = 0; out < shape_.outs[part]; ++out, ++column) {
        double sum = shape_.with_bias ? static_cast<double>(biases_[part][out]) : 0;
        for (size_t k = 0; k < shape_.in; ++k) {
          sum +=
              static_cast<double>(x_[row * x_stride_ + k]) * static_cast<double>(weights_[part][out * shape_.in + k]);
        }
        if (shape_.activation == Activation::kRelu) sum = std::max(sum, 0.0);
        if (shape_.with_residual) sum += static_cast<double>(residual_[row * (outs_ + 3) + column]);
        y.push_back(sum);
      }
    }
  }
  return y;
}

}  // namespace bert::test
