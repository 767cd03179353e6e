// The instruction sets of this architecture that have kernels of their own, by their names in BERT_INFER_ISA, and
// whether the CPU has one.
#pragma once

#include <array>
#include <string_view>

#include "engine/base/cpu_features.h"

namespace bert::test {

// Portable first. The products have those too that multiply 8-bit weights only.
#if defined(__aarch64__)
inline constexpr std::array kKernelIsas = {"portable", "neon"};
inline constexpr std::array kProductIsas = {"portable", "neon", "dotprod", "i8mm"};
#else
inline constexpr std::array kKernelIsas = {"portable", "avx2", "avx512"};
inline constexpr std::array kProductIsas = {"portable", "avx2", "avxvnni", "avx512", "avx512vnni"};
#endif

// A CPU with AVX-512's kernels can lack AVX-VNNI, which they do not use: Zen 4 does.
inline bool cpu_has(const char* isa) {
  const CpuFeatures unused = std::string_view(isa) == "avxvnni" ? CpuFeatures() : CpuFeatures{CpuFeature::kAvxVnni};
  return (detect_cpu_features() | unused).contains(allowed_cpu_features(isa));
}

}  // namespace bert::test
