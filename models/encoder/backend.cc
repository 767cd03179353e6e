#include "models/encoder/backend.h"

#include <cstdint>
#include <string>
#include <utility>

#include "engine/kernels/gemm/native_gemm.h"
#include "engine/kernels/gemm/openblas_gemm.h"

namespace bert {

Backend::Backend(const LoadOptions& options, const WeightView& weight) : cpu_(choose_cpu_features()) {
  if (options.runtime && options.threads > 0) {
    throw Error(ErrorCode::kInvalidArgument,
                std::to_string(options.threads) + " threads requested beside a runtime of " +
                    std::to_string(options.runtime->threads()) + ", expected one of the two options");
  }
  // Without a shared runtime, callers of a model never wait for each other.
  runtime_ = options.runtime ? options.runtime->state_
                             : std::make_shared<Runtime::State>(RuntimeOptions{.threads = options.threads}, SIZE_MAX);
  const GemmProvider provider = options.gemm;
  const bool is_int8 = is_8_bit(weight.format), is_bfloat16 = weight.arithmetic == ProductArithmetic::kBFloat16;
  if ((is_int8 || is_bfloat16) && provider == GemmProvider::kOpenBlas) {
    throw Error(ErrorCode::kInvalidArgument, std::string("OpenBLAS requested with ") +
                                                 (is_int8 ? "8-bit weights" : "bfloat16 arithmetic") +
                                                 ", which it cannot multiply; expected the native kernels");
  }
  if (provider == GemmProvider::kPortable) {
    cpu_ = {CpuFeatures{}, cpu_.reason + "; the portable provider was requested"};
  }
  kernels_ = &kernels_for(cpu_.features);
  gemm_reason_ = provider == GemmProvider::kAuto ? "default" : "requested";
  std::unique_ptr<OpenBlasGemm> openblas;
  if (provider == GemmProvider::kOpenBlas) {
    openblas = std::make_unique<OpenBlasGemm>(*kernels_);
  } else if (provider == GemmProvider::kAuto && !is_int8 && !is_bfloat16 &&
             &kernels_for(detect_cpu_features()) == &kPortableKernels) {
    // This library has no fast kernels for this CPU.
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
    gemm_name_ = kernel_ = "openblas";
  } else {
    const ProductKernels kernels = products_for(cpu_.features);
    gemm_ = std::make_unique<NativeGemm>(kernels);
    kernel_ = kernels[kernel_index(weight.format, weight.arithmetic)]->name;
    gemm_name_ = kernels_ == &kPortableKernels ? "portable" : "native";
  }
}

void Backend::describe(ModelDescription& description) const {
  description.gemm = gemm_name_;
  description.gemm_reason = gemm_reason_;
  description.isa = kernels_->name;
  description.kernel = kernel_;
  description.isa_reason = cpu_.reason;
  description.threads = threads();
  description.reproducible = gemm_name_ != "openblas";
}

Backend::Lease::Lease(Backend& backend, const WorkspaceShape& shape)
    : loan_(*backend.runtime_, Workspace::bytes(shape, *backend.gemm_)),
      context_{*backend.kernels_, *backend.gemm_, backend.runtime_->pool(), loan_.workspace()} {
  loan_.workspace().prepare(shape, *backend.gemm_);
}

}  // namespace bert
