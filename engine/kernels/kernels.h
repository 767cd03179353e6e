// The kernels of the instruction set in use, and everything a layer needs to run with: threads and scratch memory.
#pragma once

#include <cstddef>
#include <span>

#include "engine/base/aligned_buffer.h"
#include "engine/base/cpu_features.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/kernel_table.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix.h"

namespace bert {

// The fastest table that these features allow.
const KernelTable& kernels_for(CpuFeatures features);

// Index into a table's functions; only for F32, F16 and BF16.
constexpr WeightType weight_type(DType dtype) {
  return dtype == DType::kF16 ? kWeightF16 : dtype == DType::kBF16 ? kWeightBF16 : kWeightF32;
}

// One weight and its bias: y = x · weightᵀ + bias.
struct LinearPart {
  WeightView weight;  // [out, in]
  const float* bias;  // [out], or null
};

// Several products of the same x whose outputs lie side by side (query, key and value are one product).
// y = act(x · weightᵀ + bias) + residual.   x: [rows, in];  y, residual: [rows, sum of out];  y is none of the others.
struct Product {
  ConstMatrixView x;
  std::span<const LinearPart> parts;
  Activation activation = Activation::kIdentity;
  ConstMatrixView residual = {};  // data null: none
  MatrixView y;
};

// Scratch memory of one thread.
struct ScratchView {
  float* data;
  size_t floats;
};

// Who multiplies. Implementations are immutable and safe to share by threads.
class Gemm {
 public:
  virtual ~Gemm() = default;
  // scratch: one a thread of the pool, each of at least scratch_floats(in) floats.
  virtual void multiply(const Product& product, ThreadPool& pool, std::span<const ScratchView> scratch) const = 0;
  virtual size_t scratch_floats(size_t in) const = 0;
};

}  // namespace bert
