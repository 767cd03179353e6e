// What a loaded model computes with: the instruction set's kernels, the provider of matrix products, the threads, and
// workspaces that are lent to one pass at a time. Safe to use from many threads.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bert/model.h"
#include "engine/base/cpu_features.h"
#include "engine/base/floating_point.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/kernels.h"
#include "engine/layers/execution_context.h"

namespace bert {

class Backend {
 public:
  // Throws Error where OpenBLAS is asked for and cannot be loaded, BERT_INFER_ISA is no instruction set's name, or the
  // threads are too many.
  Backend(GemmProvider provider, size_t threads);

  // What a pass computes in: a workspace, which is given back, and the default floating-point mode of the thread that
  // made it, whose own comes back. Both when it goes.
  class Lease {
   public:
    Lease(Backend& backend, const WorkspaceShape& shape);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ExecutionContext& context() { return context_; }

   private:
    DefaultFloatingPoint mode_;
    Backend& backend_;
    std::unique_ptr<Workspace> workspace_;
    ExecutionContext context_;
  };

  size_t threads() const { return pool_.size(); }
  const Gemm& gemm() const { return *gemm_; }
  void describe(ModelDescription& description) const;  // gemm, isa, threads, reproducible

 private:
  std::unique_ptr<Workspace> borrow();

  CpuFeatureChoice cpu_;
  const KernelTable* kernels_ = nullptr;
  std::unique_ptr<Gemm> gemm_;
  std::string gemm_name_;
  std::string gemm_reason_;
  ThreadPool pool_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
  size_t made_ = 0;
};

}  // namespace bert
