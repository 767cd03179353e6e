// Matrix products by OpenBLAS, for CPUs for which this library has no kernels, and as a baseline for its own kernels.
// The first OpenBlasGemm loads the library, so that other programs do not pay for it. Each call runs on one thread; the
// work is split here. The result's bits depend on the CPU and on the number of rows.
#pragma once

#include <string>

#include "engine/kernels/kernels.h"

namespace bert {

class OpenBlasGemm final : public Gemm {
 public:
  // Throws Error(kNotFound) if no OpenBLAS can be loaded.
  explicit OpenBlasGemm(const KernelTable& kernels);
  void multiply(const Product& product, ThreadPool& pool, const GemmScratch& scratch) const override;
  size_t scratch_floats(size_t in) const override;
  size_t packed_floats(const WeightView&) const override { return 0; }
  void pack(const WeightView&, ThreadPool&, float*) const override {}
  std::string panels_name(WeightFormat, ProductArithmetic) const override { return ""; }
  size_t shared_scratch_floats(size_t, size_t) const override { return 0; }

  std::string description() const;  // OpenBLAS's own: version, core, options

 private:
  const KernelTable& kernels_;  // for bias, activation and residual
};

}  // namespace bert
