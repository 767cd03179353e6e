// Lists the instruction sets of this architecture for which there are kernels, by BERT_INFER_ISA's names, and tells
// which of them the CPU has.
#pragma once

#include <array>
#include <string_view>

#include "engine/base/cpu_features.h"

namespace bert::test {

// The portable kernels come first. Products of 8-bit weights, and products in bfloat16 arithmetic, have kernels for
// more instruction sets.
#if defined(__aarch64__)
inline constexpr std::array kKernelIsas = {"portable", "neon"};
inline constexpr std::array kProductIsas = {"portable", "neon", "dotprod", "i8mm"};
inline constexpr std::array kBFloat16Isas = kKernelIsas;
#else
inline constexpr std::array kKernelIsas = {"portable", "avx2", "avx512"};
inline constexpr std::array kProductIsas = {"portable", "avx2", "avxvnni", "avx512", "avx512vnni"};
inline constexpr std::array kBFloat16Isas = {"portable", "avx2", "avx512", "avx512bf16"};
#endif

// Returns whether the CPU has the instruction set. The AVX-512 kernels do not use AVX-VNNI, and some CPUs with AVX-512,
// such as Zen 4, lack it.
inline bool cpu_has(const char* isa) {
  const CpuFeatures unused = std::string_view(isa) == "avxvnni" ? CpuFeatures() : CpuFeatures{CpuFeature::kAvxVnni};
  return (detect_cpu_features() | unused).contains(allowed_cpu_features(isa));
}

}  // namespace bert::test
