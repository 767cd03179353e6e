// What the forward pass of every layer runs with.
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
