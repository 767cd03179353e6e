// Resources of a layer's forward pass.
#pragma once

#include <algorithm>
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
  uint32_t* coarse_rows = nullptr;  // [rows of the layer's products], or null; passed to Product::coarse_rows
};

// Copies x to y, which has the same shape.
inline void copy_rows(ConstMatrixView x, MatrixView y, ExecutionContext& context) {
  context.pool.run_rows(x.rows, [&](size_t first, size_t count) {
    for (size_t row = first; row < first + count; ++row) std::copy_n(x.row(row), x.cols, y.row(row));
  });
}

}  // namespace bert
