// The instruction sets that have kernels of their own, by their names in BERT_INFER_ISA, and whether the CPU has one.
#pragma once

#include <array>

#include "engine/base/cpu_features.h"

namespace bert::test {

inline constexpr std::array<const char*, 3> kKernelIsas = {"portable", "avx2", "avx512"};
// With those that have only products of 8-bit weights.
inline constexpr std::array<const char*, 5> kProductIsas = {"portable", "avx2", "avxvnni", "avx512", "avx512vnni"};

inline bool cpu_has(const char* isa) { return detect_cpu_features().contains(allowed_cpu_features(isa)); }

}  // namespace bert::test
