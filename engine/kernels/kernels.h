// The kernels of the instruction set in use, and what a layer needs to run: threads and scratch memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/base/cpu_features.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/kernel_table.h"
#include "engine/tensor/matrix.h"

namespace bert {

// Returns the fastest table that these features allow.
const KernelTable& kernels_for(CpuFeatures features);

class PackedWeight;

// One weight and its bias: y = x · weightᵀ + bias.
struct LinearPart {
  WeightView weight;               // [out, in]
  const float* bias;               // [out], or null
  PackedWeight* packed = nullptr;  // holds the weight's panels for products; null: there are no panels
};

// Several products of the same x with concatenated outputs (query, key and value are one product).
// Computes y = act(x · weightᵀ + bias) + residual.   x: [rows, in];  y, residual: [rows, sum of out];  y must not
// overlap the others.
struct Product {
  ConstMatrixView x;
  std::span<const LinearPart> parts;
  Activation activation = Activation::kIdentity;
  ConstMatrixView residual = {};  // data null: none
  MatrixView y;
  uint32_t* coarse_rows = nullptr;  // [rows], or null: incremented for each row of x that 8 bits represent poorly
};

struct ScratchView {
  float* data = nullptr;
  size_t floats = 0;
};

// Scratch memory of a product.
struct GemmScratch {
  std::span<const ScratchView> threads;  // one for each thread of the pool
  ScratchView shared = {};               // shared by all threads
};

// The matrix multiplication backend. Implementations are immutable; threads can share them.
class Gemm {
 public:
  virtual ~Gemm() = default;
  virtual void multiply(const Product& product, ThreadPool& pool, const GemmScratch& scratch) const = 0;
  // Return the minimum scratch floats per thread, and shared by all, for a product of `rows` rows and `in` inputs.
  // Shared scratch holds rows of x that are quantised or rounded; `in` is 0 if there is no such product.
  virtual size_t scratch_floats(size_t in) const = 0;
  virtual size_t shared_scratch_floats(size_t rows, size_t in) const = 0;
  // Returns the floats of a weight's panels, for its LinearPart::packed; 0: this backend reads weights as stored.
  virtual size_t packed_floats(const WeightView& weight) const = 0;
  // Writes a weight's panels, packed_floats(weight) floats.
  virtual void pack(const WeightView& weight, ThreadPool& pool, float* panels) const = 0;
  // Returns a name of the order of numbers in the panels of such weights: two backends with the same name make the same
  // panels. Empty: this backend makes none.
  virtual std::string panels_name(WeightFormat format, ProductArithmetic arithmetic) const = 0;
};

}  // namespace bert
