// Matrix products by OpenBLAS, for CPUs that this library has no kernels for, and as the yardstick for its own. The
// library is loaded when the first OpenBlasGemm is made, so that a start without it does not pay for it; each call runs
// on one thread, and the work is split here. Its bits depend on the CPU and on the number of rows.
#pragma once

#include <string>

#include "engine/kernels/kernels.h"

namespace bert {

class OpenBlasGemm final : public Gemm {
 public:
  // Throws Error(kNotFound) when no OpenBLAS can be loaded.
  explicit OpenBlasGemm(const KernelTable& kernels);
  void multiply(const Product& product, ThreadPool& pool, const GemmScratch& scratch) const override;
  size_t scratch_floats(size_t in) const override;
  size_t shared_scratch_floats(size_t, size_t) const override { return 0; }

  std::string description() const;  // the library's own words: version, core, options

 private:
  const KernelTable& kernels_;  // for bias, activation and residual
};

}  // namespace bert
