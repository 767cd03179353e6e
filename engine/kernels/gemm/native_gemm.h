// Matrix products by this library's kernels, directly from the checkpoint's rows. The same bits on every instruction
// set. Immutable; safe to use from many threads.
#pragma once

#include <array>

#include "engine/base/cache_sizes.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/products.h"

namespace bert {

class NativeGemm final : public Gemm {
 public:
  explicit NativeGemm(const ProductKernels& kernels, const CacheSizes& caches = cache_sizes());
  void multiply(const Product& product, ThreadPool& pool, const GemmScratch& scratch) const override;
  size_t scratch_floats(size_t in) const override;
  size_t shared_scratch_floats(size_t rows, size_t in) const override;
  size_t packed_floats(const WeightView& weight) const override;
  void pack(const WeightView& weight, ThreadPool& pool, float* panels) const override;
  std::string panels_name(WeightFormat format, ProductArithmetic arithmetic) const override;

 private:
  struct KernelInUse {
    const ProductKernel* kernel;
    CacheBlocks blocks;
  };
  const KernelInUse& kernel_for(const WeightView& weight) const {
    return kernels_[kernel_index(weight.format, weight.arithmetic)];
  }
  static void multiply_with(const KernelInUse& with, const Product& product, ThreadPool& pool,
                            const GemmScratch& scratch);

  std::array<KernelInUse, std::tuple_size_v<ProductKernels>> kernels_;
};

}  // namespace bert
