// What a loaded model computes with: the instruction set's kernels, the provider of matrix products, and the runtime,
// which lends threads and a workspace to one pass at a time. Safe to use from many threads.
#pragma once

#include <memory>
#include <string>

#include "bert/model.h"
#include "engine/base/cpu_features.h"
#include "engine/base/floating_point.h"
#include "engine/kernels/kernels.h"
#include "engine/layers/execution_context.h"
#include "models/runtime.h"

namespace bert {

class Backend {
 public:
  // Of the options, gemm, threads and runtime count. Throws Error where OpenBLAS is asked for and cannot be loaded,
  // BERT_INFER_ISA is no instruction set's name, the threads are too many, or both threads and a runtime are given.
  explicit Backend(const LoadOptions& options);

  // What a pass computes in: a workspace of the runtime, which may have to be waited for and is given back, and the
  // default floating-point mode of the thread that made it, whose own comes back. Both when it goes.
  class Lease {
   public:
    Lease(Backend& backend, const WorkspaceShape& shape);
    ExecutionContext& context() { return context_; }

   private:
    DefaultFloatingPoint mode_;
    Runtime::State::Loan loan_;
    ExecutionContext context_;
  };

  size_t threads() const { return runtime_->threads(); }
  const Gemm& gemm() const { return *gemm_; }
  void describe(ModelDescription& description) const;  // gemm, isa, threads, reproducible

 private:
  CpuFeatureChoice cpu_;
  const KernelTable* kernels_ = nullptr;
  std::unique_ptr<Gemm> gemm_;
  std::string gemm_name_;
  std::string gemm_reason_;
  std::shared_ptr<Runtime::State> runtime_;
};

}  // namespace bert
