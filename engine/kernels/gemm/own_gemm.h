// Matrix products by this library's kernels, straight from the checkpoint's rows. The same bits on every instruction
// set.
#pragma once

#include "engine/kernels/kernels.h"

namespace bert {

class OwnGemm final : public Gemm {
 public:
  explicit OwnGemm(const KernelTable& kernels) : kernels_(kernels) {}
  void multiply(const Product& product, ThreadPool& pool, std::span<const ScratchView> scratch) const override;
  size_t scratch_floats(size_t) const override { return kGemmScratchFloats; }

 private:
  const KernelTable& kernels_;
};

}  // namespace bert
