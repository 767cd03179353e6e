// The resources for the forward pass of a layer.
#pragma once

#include <cstdint>

#include "engine/base/thread_pool.h"
#include "engine/kernels/kernels.h"
#include "engine/layers/workspace.h"

namespace bert {

struct ExecutionContext {
  const KernelTable& kernels;
  const Gemm& gemm;
  ThreadPool& pool;
  Workspace& workspace;
  uint32_t* coarse_rows = nullptr;  // [rows of the layer's products], or null: Product::coarse_rows of the layers
};

}  // namespace bert
