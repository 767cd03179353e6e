// The resources for the forward pass of a layer.
#pragma once

#include "engine/base/thread_pool.h"
#include "engine/kernels/kernels.h"
#include "engine/layers/workspace.h"

namespace bert {

struct ExecutionContext {
  const KernelTable& kernels;
  const Gemm& gemm;
  ThreadPool& pool;
  Workspace& workspace;
};

}  // namespace bert
