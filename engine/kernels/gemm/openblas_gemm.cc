#include "engine/kernels/gemm/openblas_gemm.h"

#include <algorithm>

#include "bert/error.h"
#include "engine/base/cpu_features.h"
#include "engine/base/shared_library.h"

namespace bert {
namespace {

// Outputs of a 16-bit weight that are widened per step.
constexpr size_t kWidenedOutputs = 32;

// As cblas.h declares them; the constants are CblasRowMajor, CblasNoTrans and CblasTrans.
using Sgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda,
                       const float* b, int ldb, float beta, float* c, int ldc);
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;

struct Library {
  Sgemm sgemm = nullptr;
  const char* (*config)() = nullptr;
  std::string problem;
};

Library load_library() {
  if (!has_ssse3()) return {.problem = "its kernels need SSSE3, which this CPU lacks"};
  const SharedLibrary file("openblas", {"0", ""}, "libopenblas0-pthread");
  Library library;
  library.problem = file.problem();
  if (!library.problem.empty()) return library;
  library.sgemm = reinterpret_cast<Sgemm>(file.find("cblas_sgemm"));
  library.config = reinterpret_cast<const char* (*)()>(file.find("openblas_get_config"));
  if (library.sgemm == nullptr) library.problem = file.file() + " has no cblas_sgemm";
  if (auto* set_threads = reinterpret_cast<void (*)(int)>(file.find("openblas_set_num_threads"))) set_threads(1);
  return library;
}

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

}  // namespace

OpenBlasGemm::OpenBlasGemm(const KernelTable& kernels) : kernels_(kernels) {
  if (!library().problem.empty()) throw Error(ErrorCode::kNotFound, "OpenBLAS: " + library().problem);
}

std::string OpenBlasGemm::description() const { return library().config == nullptr ? "OpenBLAS" : library().config(); }

size_t OpenBlasGemm::scratch_floats(size_t in) const { return in * kWidenedOutputs; }

void OpenBlasGemm::multiply(const Product& product, ThreadPool& pool, const GemmScratch& scratch) const {
  // One stripe of outputs per thread, in one call if the weights are floats.
  size_t outs = 0;
  for (const LinearPart& part : product.parts) outs += part.weight.rows;
  if (product.x.rows == 0 || outs == 0) return;
  const size_t stripe = round_up((outs + pool.size() - 1) / pool.size(), 16);
  const auto int_of = [](size_t value) { return static_cast<int>(value); };

  pool.run((outs + stripe - 1) / stripe, [&](size_t task, size_t slot) {
    const size_t end = std::min((task + 1) * stripe, outs);
    size_t column = 0;
    for (const LinearPart& part : product.parts) {
      const size_t part_begin = std::max(task * stripe, column);
      const size_t part_end = std::min(end, column + part.weight.rows);
      const bool widen = part.weight.format != WeightFormat::kF32;
      const size_t in = part.weight.cols;
      for (size_t out = part_begin; out < part_end;) {
        const size_t count = widen ? std::min(kWidenedOutputs, part_end - out) : part_end - out;
        const float* weight = static_cast<const float*>(part.weight.row(out - column).data);
        if (widen) {
          float* widened = scratch.threads[slot].data;
          for (size_t i = 0; i < count; ++i) kernels_.copy_row(widened + i * in, part.weight.row(out - column + i), in);
          weight = widened;
        }
        library().sgemm(kRowMajor, kNoTranspose, kTranspose, int_of(product.x.rows), int_of(count), int_of(in), 1.0f,
                        product.x.data, int_of(product.x.stride), weight, int_of(in), 0.0f, product.y.data + out,
                        int_of(product.y.stride));
        kernels_.epilogue({.rows = product.x.rows,
                           .outs = count,
                           .bias = part.bias == nullptr ? nullptr : part.bias + (out - column),
                           .activation = product.activation,
                           .residual = product.residual.data == nullptr ? nullptr : product.residual.data + out,
                           .residual_stride = product.residual.stride,
                           .y = product.y.data + out,
                           .y_stride = product.y.stride});
        out += count;
      }
      column += part.weight.rows;
    }
  });
}

}  // namespace bert
