// Products after the encoder, with their own scratch memory, because the workspace's scratch fits only the encoder's
// products, which may be narrower. Not for 8-bit weights and bfloat16 arithmetic. Used by one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/layers/execution_context.h"

namespace bert {

class ProductRunner {
 public:
  // widest_input: the most inputs of a product; 0: there is no product.
  ProductRunner(const ExecutionContext& context, size_t widest_input) : context_(context) {
    const size_t floats = widest_input == 0 ? 0 : round_up(context.gemm.scratch_floats(widest_input), kAlignment);
    memory_ = AlignedBuffer<float>(floats * context.pool.size());
    for (size_t i = 0; i < context.pool.size(); ++i) scratch_.push_back({memory_.data() + i * floats, floats});
  }

  void multiply(const Product& product) const { context_.gemm.multiply(product, context_.pool, {.threads = scratch_}); }
  const KernelTable& kernels() const { return context_.kernels; }
  ThreadPool& pool() const { return context_.pool; }

 private:
  const ExecutionContext& context_;
  AlignedBuffer<float> memory_;
  std::vector<ScratchView> scratch_;  // one for each thread
};

}  // namespace bert
