// The means of computation of a loaded model: the kernels of the instruction set, the matrix multiplication backend,
// and the runtime, which lends threads and a workspace to one pass at a time. Safe to use from many threads.
#pragma once

#include <memory>
#include <string>

#include "bert/model.h"
#include "engine/base/cpu_features.h"
#include "engine/base/floating_point.h"
#include "engine/kernels/kernels.h"
#include "engine/layers/execution_context.h"
#include "models/encoder/runtime.h"

namespace bert {

class Backend {
 public:
  // Uses the options gemm, threads and runtime. weight: one of the linear layers. Throws Error if OpenBLAS is requested
  // but cannot be loaded or cannot multiply such weights, if BERT_INFER_ISA is not the name of an instruction set, for
  // too many threads, and if both threads and a runtime are set.
  explicit Backend(const LoadOptions& options, const WeightView& weight = {});

  // The resources of one pass: a workspace of the runtime, for which the constructor may wait, and the default
  // floating-point mode of the calling thread. The destructor returns the workspace and restores the mode.
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
  size_t wanted_threads() const { return runtime_->wanted_threads(); }
  const Gemm& gemm() const { return *gemm_; }
  const KernelTable& kernels() const { return *kernels_; }
  void describe(ModelDescription& description) const;  // sets gemm, isa, kernel, threads, reproducible

 private:
  CpuFeatureChoice cpu_;
  const KernelTable* kernels_ = nullptr;
  std::unique_ptr<Gemm> gemm_;
  std::string gemm_name_;
  std::string gemm_reason_;
  std::string kernel_;
  std::shared_ptr<Runtime::State> runtime_;
};

}  // namespace bert
