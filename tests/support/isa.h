// The instruction sets of this architecture that have kernels of their own, by their names in BERT_INFER_ISA, and
// whether the CPU has one.
#pragma once

#include <array>
#include <string_view>

#include "engine/base/cpu_features.h"

namespace bert::test {

// Portable first. The products of 8-bit weights and those in bfloat16 arithmetic have some of their own.
#if defined(__aarch64__)
inline constexpr std::array kKernelIsas = {"portable", "neon"};
inline constexpr std::array kProductIsas = {"portable", "neon", "dotprod", "i8mm"};
inline constexpr std::array kBFloat16Isas = kKernelIsas;
#else
inline constexpr std::array kKernelIsas = {"portable", "avx2", "avx512"};
inline constexpr std::array kProductIsas = {"portable", "avx2", "avxvnni", "avx512", "avx512vnni"};
inline constexpr std::array kBFloat16Isas = {"portable", "avx2", "avx512", "avx512bf16"};
#endif

// A CPU with AVX-512's kernels can lack AVX-VNNI, which they do not use: Zen 4 does.
inline bool cpu_has(const char* isa) {
  const CpuFeatures unused = std::string_view(isa) == "avxvnni" ? CpuFeatures() : CpuFeatures{CpuFeature::kAvxVnni};
  return (detect_cpu_features() | unused).contains(allowed_cpu_features(isa));
}

}  // namespace bert::test
