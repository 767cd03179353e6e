#include "models/backend.h"

#include <algorithm>
#include <utility>

#include "engine/base/cpu.h"
#include "engine/kernels/gemm/openblas_gemm.h"
#include "engine/kernels/gemm/own_gemm.h"

namespace bert {

static_assert(LoadOptions::kMaxThreads == ThreadPool::kMaxThreads);

Backend::Backend(GemmProvider provider, size_t threads)
    : cpu_(choose_cpu_features()), pool_(threads == 0 ? std::min(available_cpus(), ThreadPool::kMaxThreads) : threads) {
  if (provider == GemmProvider::kPortable) {
    cpu_ = {CpuFeatures{}, cpu_.reason + "; the portable provider was asked for"};
  }
  kernels_ = &kernels_for(cpu_.features);
  gemm_reason_ = provider == GemmProvider::kAuto ? "default" : "asked for";
  std::unique_ptr<OpenBlasGemm> openblas;
  if (provider == GemmProvider::kOpenBlas) {
    openblas = std::make_unique<OpenBlasGemm>(*kernels_);
  } else if (provider == GemmProvider::kAuto && &kernels_for(detect_cpu_features()) == &kPortableKernels) {
    // No fast kernels of ours for this CPU.
    try {
      openblas = std::make_unique<OpenBlasGemm>(*kernels_);
      gemm_reason_ = "no kernels of this library's own for the CPU";
    } catch (const Error& error) {
      gemm_reason_ = std::string("no fast kernels for the CPU, and ") + error.what();
    }
  }
  if (openblas) {
    gemm_reason_ += ": " + openblas->description();
    gemm_ = std::move(openblas);
    gemm_name_ = "openblas";
  } else {
    gemm_ = std::make_unique<OwnGemm>(*kernels_);
    gemm_name_ = kernels_ == &kPortableKernels ? "portable" : "own";
  }
}

void Backend::describe(ModelDescription& description) const {
  description.gemm = gemm_name_;
  description.gemm_reason = gemm_reason_;
  description.isa = kernels_->name;
  description.isa_reason = cpu_.reason;
  description.threads = threads();
  description.reproducible = gemm_name_ != "openblas";
}

std::unique_ptr<Workspace> Backend::borrow() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.empty()) {
    idle_.reserve(++made_);  // so that giving it back cannot fail
    return std::make_unique<Workspace>();
  }
  std::unique_ptr<Workspace> workspace = std::move(idle_.back());
  idle_.pop_back();
  return workspace;
}

Backend::Lease::Lease(Backend& backend, const WorkspaceShape& shape)
    : backend_(backend),
      workspace_(backend.borrow()),
      context_{*backend.kernels_, *backend.gemm_, backend.pool_, *workspace_} {
  workspace_->prepare(shape, *backend.gemm_);
}

Backend::Lease::~Lease() {
  const std::lock_guard<std::mutex> lock(backend_.mutex_);
  backend_.idle_.push_back(std::move(workspace_));
}

}  // namespace bert
