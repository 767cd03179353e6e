// What the CPU can do, and how many CPUs the process may use. Read once; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bert {

// Instruction sets that the kernels know, each including those before it.
enum class Isa { kPortable, kAvx2, kAvx512 };

constexpr std::string_view name(Isa isa) {
  return isa == Isa::kAvx512 ? "avx512" : isa == Isa::kAvx2 ? "avx2" : "portable";
}

// kAvx2 means AVX2, FMA and F16C; kAvx512 means F, BW, DQ and VL besides; both with the operating system's support.
Isa detect_isa();

struct IsaChoice {
  Isa isa;
  std::string reason;  // for people: what the CPU has, and what lowered it
};

// The detected instruction set, lowered by the environment variable BERT_INFER_ISA (portable, avx2, avx512 or amx,
// which has no kernels of its own in float32 and means avx512). It never raises. Throws Error for another value.
IsaChoice choose_isa();

// The CPUs of the process's affinity mask, limited by the container's CPU quota (cgroup v1 and v2), rounded up; >= 1.
size_t available_cpus();

// The quota in CPUs that a cgroup v2 cpu.max text ("200000 100000", "max 100000") grants; 0: no limit or not readable.
double cgroup_cpu_limit(std::string_view cpu_max);

}  // namespace bert
