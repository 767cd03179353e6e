// Turns the sums of a tile of a product into outputs: scaled, with bias, activation and residual. Included after
// quantize.inl.h.
#pragma once

#include "engine/kernels/product_kernel.h"

namespace bert {
namespace {

constexpr size_t kPanel = kPanelLanes * 16;  // outputs of a panel, for many rows

// The sums of a tile as floats. value(m, c, count): `count` sums of row m from column c on.
struct FloatSums {
  const float* sums;
  size_t stride;
  Lanes value(size_t m, size_t c, size_t count) const { return load_part(sums + m * stride + c, count); }
};

// Converts integer sums: (sum - zero point * sum of the weights) * scale of x * scale of the weights.
template <class Type>
class ScaledSums {
 public:
  // For at most kPanel outputs starting at `out`, and rows starting at `row`.
  ScaledSums(const GemmArgs& args, const float* sums, size_t stride, size_t row, size_t out, size_t outs)
      : sums_(sums), stride_(stride), header_floats_(prepared_row_floats<Type>(args.in)) {
    headers_ = args.prepared + row * header_floats_;
    for (size_t c = 0; c < outs; c += 16) {
      store_part(weight_scales_ + c, load_part(args.weight_scales + out + c, outs - c), 16);
    }
    for (size_t c = 0; c < outs; ++c) weight_sums_[c] = args.weight_sums[out + c];
  }
  [[gnu::always_inline]] Lanes value(size_t m, size_t c, size_t count) const {
    const float* header = headers_ + m * header_floats_;
    const Lanes sum = load_part(sums_ + m * stride_ + c, count);
    const Lanes exact = Type::corrected(sum, zero_point_of(header), weight_sums_ + c);
    return mul(mul(exact, set1(header[0])), load(weight_scales_ + c));
  }

 private:
  const float* sums_;
  size_t stride_;
  size_t header_floats_;
  const float* headers_;
  alignas(64) float weight_scales_[kPanel];
  alignas(64) int32_t weight_sums_[kPanel] = {};
};

// Computes y = act(sums + bias) + residual for a tile whose first output is `out`. The sums may be those in y.
// kRowsAtOnce whole rows are finished before they are stored, because a load waits for an earlier store whose address
// has the same last 12 bits, and stores to several rows of y soon have all of these addresses.
template <size_t kRowsAtOnce, class Sums, class Activate>
void finish_rows(const ProductOutput& output, const Sums& sums, size_t row, size_t rows, size_t out, size_t outs,
                 Activate activate) {
  const float* bias = output.bias == nullptr ? nullptr : output.bias + out;
  const auto residual_of = [&](size_t m) {
    return output.residual == nullptr ? nullptr : output.residual + (row + m) * output.residual_stride + out;
  };
  const auto y_of = [&](size_t m) { return output.y + (row + m) * output.y_stride + out; };
  const auto finish = [&](size_t m, const float* residual, size_t c, size_t count) {
    Lanes value = sums.value(m, c, count);
    if (bias != nullptr) value = add(value, load_part(bias + c, count));
    value = activate(value);
    if (residual != nullptr) value = add(value, load_part(residual + c, count));
    return value;
  };
  size_t m = 0;
  for (; kRowsAtOnce > 1 && outs == kPanel && m + kRowsAtOnce <= rows; m += kRowsAtOnce) {
    Lanes values[kRowsAtOnce][kPanelLanes];
#pragma GCC unroll 4
    for (size_t i = 0; i < kRowsAtOnce; ++i) {
      const float* residual = residual_of(m + i);
#pragma GCC unroll 4
      for (size_t v = 0; v < kPanelLanes; ++v) values[i][v] = finish(m + i, residual, v * 16, 16);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < kRowsAtOnce; ++i) {
      float* y = y_of(m + i);
#pragma GCC unroll 4
      for (size_t v = 0; v < kPanelLanes; ++v) store(y + v * 16, values[i][v]);
    }
  }
  for (; m < rows; ++m) {
    const float* residual = residual_of(m);
    float* y = y_of(m);
    size_t c = 0;
    for (; c + 16 <= outs; c += 16) store(y + c, finish(m, residual, c, 16));
    if (c < outs) store_part(y + c, finish(m, residual, c, outs - c), outs - c);
  }
}

// Finishes four rows at once for the activations of 8-bit and bfloat16 layers, where it saves time; for all activations
// the code would be large.
template <class Sums>
void finish_tile(const ProductOutput& output, const Sums& sums, size_t row, size_t rows, size_t out, size_t outs) {
  const auto four_at_once = [&](auto activate) { finish_rows<4>(output, sums, row, rows, out, outs, activate); };
  if (output.activation == Activation::kIdentity) return four_at_once([](Lanes x) { return x; });
  if (output.activation == Activation::kGeluOfFewBits) return four_at_once([](Lanes x) { return gelu_of_few_bits(x); });
  with_activation(output.activation,
                  [&](auto activate) { finish_rows<1>(output, sums, row, rows, out, outs, activate); });
}

// Finishes the sums of a product, which are floats or integers.
template <class Type>
inline void finish_sums(const GemmArgs& args, const float* sums, size_t stride, size_t row, size_t rows, size_t out,
                        size_t outs) {
  if constexpr (EightBit<Type>) {
    finish_tile(args.output, ScaledSums<Type>(args, sums, stride, row, out, outs), row, rows, out, outs);
  } else {
    finish_tile(args.output, FloatSums{sums, stride}, row, rows, out, outs);
  }
}

}  // namespace
}  // namespace bert
