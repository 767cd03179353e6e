// Which instructions the kernels may use: what the CPU has and the operating system saves, limited by the environment.
// Features are independent flags, because no order holds for all CPUs: some have AVX-VNNI without AVX-512, some AVX-512
// without AVX-VNNI. Safe to call from many threads.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace bert {

enum class CpuFeature : uint8_t {
  kAvx2,  // AVX2, FMA and F16C
  kAvxVnni,
  kAvx512,  // F, BW, DQ and VL
  kAvx512Vnni,
  kAvx512Bf16,  // vdpbf16ps is two fused multiply-adds, the odd input's first
  kAmxTile,
  kAmxInt8,
  kAmxBf16,
  // 64-bit ARM
  kNeon,
  kDotprod,  // SDOT and UDOT
  kI8mm,     // SMMLA
  // WebAssembly
  kSimd128,
  kRelaxedSimd,  // multiply-adds are fused
};

class CpuFeatures {
 public:
  constexpr CpuFeatures() = default;
  constexpr CpuFeatures(std::initializer_list<CpuFeature> features) {
    for (const CpuFeature feature : features) bits_ |= 1u << static_cast<unsigned>(feature);
  }
  constexpr bool contains(CpuFeatures others) const { return (bits_ & others.bits_) == others.bits_; }
  constexpr CpuFeatures operator&(CpuFeatures other) const {
    CpuFeatures both;
    both.bits_ = bits_ & other.bits_;
    return both;
  }
  constexpr CpuFeatures operator|(CpuFeatures other) const {
    CpuFeatures either;
    either.bits_ = bits_ | other.bits_;
    return either;
  }
  constexpr CpuFeatures without(CpuFeatures others) const {
    CpuFeatures rest;
    rest.bits_ = bits_ & ~others.bits_;
    return rest;
  }
  constexpr bool operator==(const CpuFeatures&) const = default;

 private:
  uint32_t bits_ = 0;
};

// Returns "avx2, avx512, avx512vnni"; "none" for the empty set.
std::string names(CpuFeatures features);

// A value of BERT_INFER_ISA and the features that it allows.
struct NamedCpuFeatures {
  std::string_view name;
  CpuFeatures allowed;
};
inline constexpr std::array<NamedCpuFeatures, 12> kNamedCpuFeatures = {{
    {"portable", {}},
    {"avx2", {CpuFeature::kAvx2}},
    {"avxvnni", {CpuFeature::kAvx2, CpuFeature::kAvxVnni}},
    {"avx512", {CpuFeature::kAvx2, CpuFeature::kAvx512}},
    {"avx512vnni", {CpuFeature::kAvx2, CpuFeature::kAvxVnni, CpuFeature::kAvx512, CpuFeature::kAvx512Vnni}},
    {"avx512bf16",
     {CpuFeature::kAvx2, CpuFeature::kAvxVnni, CpuFeature::kAvx512, CpuFeature::kAvx512Vnni, CpuFeature::kAvx512Bf16}},
    {"amx",
     {CpuFeature::kAvx2, CpuFeature::kAvxVnni, CpuFeature::kAvx512, CpuFeature::kAvx512Vnni, CpuFeature::kAvx512Bf16,
      CpuFeature::kAmxTile, CpuFeature::kAmxInt8, CpuFeature::kAmxBf16}},
    {"neon", {CpuFeature::kNeon}},
    {"dotprod", {CpuFeature::kNeon, CpuFeature::kDotprod}},
    {"i8mm", {CpuFeature::kNeon, CpuFeature::kDotprod, CpuFeature::kI8mm}},
    {"simd128", {CpuFeature::kSimd128}},
    {"relaxed", {CpuFeature::kSimd128, CpuFeature::kRelaxedSimd}},
}};

// Returns whether the CPU has SSSE3, which is optional on x86-64 and needed by OpenBLAS's kernels for its oldest CPUs;
// true on other CPUs.
bool has_ssse3();

// Returns the features that this value of BERT_INFER_ISA allows. Throws Error if there is no such value.
CpuFeatures allowed_cpu_features(std::string_view name);

// Returns the features that the CPU has and whose registers the operating system saves on a context switch. Read once.
CpuFeatures detect_cpu_features();

struct CpuFeatureChoice {
  CpuFeatures features;
  std::string reason;  // for people: what the CPU has, and what BERT_INFER_ISA allows
};

// Returns the features that are used only if BERT_INFER_ISA names them, because this CPU is faster without them:
// AVX512_BF16 on Intel's CPUs. A Sapphire Rapids computes half as many products per second with it as in float32.
CpuFeatures slow_cpu_features();

// Returns the detected features that the environment variable BERT_INFER_ISA allows; if it is not set, all but the slow
// ones. The variable cannot add features. Throws Error if its value is not in kNamedCpuFeatures.
CpuFeatureChoice choose_cpu_features();

// The input of detect_cpu_features() on x86-64: registers of CPUID's leaves, and the states that the operating system
// saves.
struct CpuRegisters {
  uint32_t leaf1_ecx = 0;
  uint32_t leaf7_ebx = 0;  // of subleaf 0
  uint32_t leaf7_ecx = 0;
  uint32_t leaf7_edx = 0;
  uint32_t leaf7_1_eax = 0;        // of subleaf 1
  uint64_t saved_states = 0;       // XCR0; 0 if it cannot be read
  bool tile_data_granted = false;  // the kernel lets a process use AMX tiles on request
};
CpuFeatures features_of(const CpuRegisters& registers);

// The input of detect_cpu_features() on 64-bit ARM: the words of the auxiliary vector that Linux gives a program, and
// their bits (Linux 6.1, arch/arm64/include/uapi/asm/hwcap.h).
struct ArmCapabilities {
  static constexpr uint64_t kAsimd = 1u << 1;
  static constexpr uint64_t kAsimdDotprod = 1u << 20;
  static constexpr uint64_t kI8mm = 1u << 13;  // in hwcap2
  uint64_t hwcap = 0;
  uint64_t hwcap2 = 0;
};
CpuFeatures features_of(const ArmCapabilities& capabilities);

// Return what the system reports for tile data and for ARM (posix/ and windows/).
bool grants_tile_data();
ArmCapabilities arm_capabilities();  // all 0 on another CPU

#if defined(__wasm__)
// Defined only in modules with relaxed instructions, which are linked with engine/base/relaxed_simd.cc. A WebAssembly
// engine without these instructions rejects such a module, so there are also modules without them.
[[gnu::weak]] bool fuses_relaxed_multiply_add();
#endif

}  // namespace bert
