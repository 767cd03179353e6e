// What every layer's forward pass runs with.
#pragma once

#include "engine/base/thread_pool.h"
#include "engine/kernels/kernels.h"
#include "engine/layers/workspace.h"

namespace bert {

struct Execution {
  const KernelTable& kernels;
  const Gemm& gemm;
  ThreadPool& pool;
  Workspace& workspace;
};

}  // namespace bert
