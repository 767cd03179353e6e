#include "engine/base/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

constexpr std::array<std::pair<CpuFeature, std::string_view>, 13> kFeatureNames = {{
    {CpuFeature::kAvx2, "avx2"},
    {CpuFeature::kAvxVnni, "avxvnni"},
    {CpuFeature::kAvx512, "avx512"},
    {CpuFeature::kAvx512Vnni, "avx512vnni"},
    {CpuFeature::kAvx512Bf16, "avx512bf16"},
    {CpuFeature::kAmxTile, "amxtile"},
    {CpuFeature::kAmxInt8, "amxint8"},
    {CpuFeature::kAmxBf16, "amxbf16"},
    {CpuFeature::kNeon, "neon"},
    {CpuFeature::kDotprod, "dotprod"},
    {CpuFeature::kI8mm, "i8mm"},
    {CpuFeature::kSimd128, "simd128"},
    {CpuFeature::kRelaxedSimd, "relaxed"},
}};

// Bits of CPUID's registers and of XCR0: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1,
// sections 13.2 and 13.3, and volume 2, CPUID (version 083).
constexpr uint32_t kLeaf1EcxSsse3 = 1u << 9;
constexpr uint32_t kLeaf1EcxFma = 1u << 12;
constexpr uint32_t kLeaf1EcxXgetbv = 1u << 27;  // OSXSAVE: XCR0 can be read
constexpr uint32_t kLeaf1EcxF16c = 1u << 29;
constexpr uint32_t kLeaf7EbxAvx2 = 1u << 5;
constexpr uint32_t kLeaf7EbxAvx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;  // F, DQ, BW, VL
constexpr uint32_t kLeaf7EcxAvx512Vnni = 1u << 11;
constexpr uint32_t kLeaf7EdxAmxBf16 = 1u << 22;
constexpr uint32_t kLeaf7EdxAmxTile = 1u << 24;
constexpr uint32_t kLeaf7EdxAmxInt8 = 1u << 25;
constexpr uint32_t kLeaf71EaxAvxVnni = 1u << 4;
constexpr uint32_t kLeaf71EaxAvx512Bf16 = 1u << 5;
constexpr uint64_t kAvxStates = 1u << 1 | 1u << 2;
constexpr uint64_t kAvx512States = kAvxStates | 1u << 5 | 1u << 6 | 1u << 7;
constexpr uint64_t kTileStates = 1u << 17 | 1u << 18;

constexpr bool has_all(uint64_t bits, uint64_t wanted) { return (bits & wanted) == wanted; }

#if defined(__x86_64__)
uint64_t read_xcr0() {
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
}

CpuRegisters read_registers() {
  CpuRegisters registers;
  uint32_t eax, ebx, ecx, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) registers.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    const uint32_t last_subleaf = eax;
    registers.leaf7_ebx = ebx;
    registers.leaf7_ecx = ecx;
    registers.leaf7_edx = edx;
    if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) registers.leaf7_1_eax = eax;
  }
  if (has_all(registers.leaf1_ecx, kLeaf1EcxXgetbv)) registers.saved_states = read_xcr0();
  if (has_all(registers.leaf7_edx, kLeaf7EdxAmxTile)) registers.tile_data_granted = grants_tile_data();
  return registers;
}

// Returns whether vdpbf16ps adds sixteen pairs of products to sums in the order of bfloat16 arithmetic
// (docs/NUMERICS.md). The second input of a pair of x or w is in its upper half.
bool adds_odd_first(const uint32_t (&x)[16], const uint32_t (&w)[16], float (&sums)[16]) {
  const auto even = [](uint32_t pair) { return std::bit_cast<float>(pair << 16); };
  const auto odd = [](uint32_t pair) { return std::bit_cast<float>(pair & 0xFFFF0000u); };
  float expected[16];
  for (size_t i = 0; i < 16; ++i) {
    expected[i] = std::fma(even(x[i]), even(w[i]), std::fma(odd(x[i]), odd(w[i]), sums[i]));
  }
  asm volatile(
      "vmovups %0, %%zmm0\n"
      "vmovups %1, %%zmm1\n"
      "vdpbf16ps %2, %%zmm1, %%zmm0\n"
      "vmovups %%zmm0, %0\n"
      "vzeroupper"
      : "+m"(sums)
      : "m"(x), "m"(w)
      : "xmm0", "xmm1");
  return std::equal(std::begin(sums), std::end(sums), std::begin(expected));
}

// Tests the instruction with random numbers near 1, and with sums that nearly cancel the first product or the second.
bool has_products_in_bfloat16() {
  uint32_t state = 1;
  const auto next = [&] { return state = state * 1664525 + 1013904223; };
  const auto number = [&] { return (next() >> 16 & 0x80FFu) | 0x3F00u; };  // at least 0.5 in magnitude
  for (int i = 0; i < 64; ++i) {
    uint32_t x[16], w[16];
    float sums[16];
    for (size_t lane = 0; lane < 16; ++lane) {
      x[lane] = number() << 16 | number();
      w[lane] = number() << 16 | number();
      const float size = std::bit_cast<float>(number() << 16);
      sums[lane] = lane % 2 == 0 ? size : std::fma(size, 0x1p-20f, -std::bit_cast<float>(x[lane] & 0xFFFF0000u));
    }
    if (!adds_odd_first(x, w, sums)) return false;
  }
  return true;
}

CpuFeatures read_features() { return features_of(read_registers()); }
#elif defined(__wasm__)
// SIMD128 needs no check: an engine without it rejects the module.
CpuFeatures read_features() {
  if (&fuses_relaxed_multiply_add == nullptr || !fuses_relaxed_multiply_add()) return {CpuFeature::kSimd128};
  return {CpuFeature::kSimd128, CpuFeature::kRelaxedSimd};
}
#else
CpuFeatures read_features() { return features_of(arm_capabilities()); }
#endif

// The features before vdpbf16ps is tested. Read once.
CpuFeatures reported_features() {
  static const CpuFeatures reported = read_features();
  return reported;
}

// Returns the features without an instruction that fails the test of its products.
CpuFeatures try_features(CpuFeatures features) {
#if defined(__x86_64__)
  if (features.contains({CpuFeature::kAvx512, CpuFeature::kAvx512Bf16}) && !has_products_in_bfloat16()) {
    return features.without({CpuFeature::kAvx512Bf16});
  }
#endif
  return features;
}

}  // namespace

std::string names(CpuFeatures features) {
  std::string text;
  for (const auto& [feature, name] : kFeatureNames) {
    if (features.contains({feature})) text.append(text.empty() ? "" : ", ").append(name);
  }
  return text.empty() ? "none" : text;
}

CpuFeatures allowed_cpu_features(std::string_view name) {
  std::string expected;
  for (const NamedCpuFeatures& named : kNamedCpuFeatures) {
    if (named.name == name) return named.allowed;
    const bool is_last = &named == &kNamedCpuFeatures.back();
    expected.append(expected.empty() ? "" : is_last ? " or " : ", ").append(named.name);
  }
  throw Error(ErrorCode::kInvalidArgument, "BERT_INFER_ISA: found " + quote(name) + ", expected " + expected);
}

bool has_ssse3() {
#if defined(__x86_64__)
  return has_all(read_registers().leaf1_ecx, kLeaf1EcxSsse3);
#else
  return true;
#endif
}

CpuFeatures features_of(const CpuRegisters& registers) {
  CpuFeatures features;
  const auto add = [&](CpuFeature feature, bool is_there) {
    if (is_there) features = features | CpuFeatures{feature};
  };
  const bool saves_avx = has_all(registers.saved_states, kAvxStates);
  const bool saves_avx512 = has_all(registers.saved_states, kAvx512States);
  const bool saves_tiles = has_all(registers.saved_states, kTileStates) && registers.tile_data_granted;
  add(CpuFeature::kAvx2, saves_avx && has_all(registers.leaf7_ebx, kLeaf7EbxAvx2) &&
                             has_all(registers.leaf1_ecx, kLeaf1EcxFma | kLeaf1EcxF16c));
  add(CpuFeature::kAvxVnni, saves_avx && has_all(registers.leaf7_1_eax, kLeaf71EaxAvxVnni));
  add(CpuFeature::kAvx512, saves_avx512 && has_all(registers.leaf7_ebx, kLeaf7EbxAvx512));
  add(CpuFeature::kAvx512Vnni, saves_avx512 && has_all(registers.leaf7_ecx, kLeaf7EcxAvx512Vnni));
  add(CpuFeature::kAvx512Bf16, saves_avx512 && has_all(registers.leaf7_1_eax, kLeaf71EaxAvx512Bf16));
  add(CpuFeature::kAmxTile, saves_tiles && has_all(registers.leaf7_edx, kLeaf7EdxAmxTile));
  add(CpuFeature::kAmxInt8, saves_tiles && has_all(registers.leaf7_edx, kLeaf7EdxAmxInt8));
  add(CpuFeature::kAmxBf16, saves_tiles && has_all(registers.leaf7_edx, kLeaf7EdxAmxBf16));
  return features;
}

CpuFeatures features_of(const ArmCapabilities& capabilities) {
  CpuFeatures features;
  const auto add = [&](CpuFeature feature, bool is_there) {
    if (is_there) features = features | CpuFeatures{feature};
  };
  add(CpuFeature::kNeon, has_all(capabilities.hwcap, ArmCapabilities::kAsimd));
  add(CpuFeature::kDotprod, has_all(capabilities.hwcap, ArmCapabilities::kAsimdDotprod));
  add(CpuFeature::kI8mm, has_all(capabilities.hwcap2, ArmCapabilities::kI8mm));
  return features;
}

CpuFeatures slow_cpu_features() {
#if defined(__x86_64__)
  uint32_t eax, ebx, ecx, edx;
  constexpr uint32_t kGenu = 0x756E6547;  // the first four bytes of "GenuineIntel"
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) != 0 && ebx == kGenu) {
    return reported_features() & CpuFeatures{CpuFeature::kAvx512Bf16};
  }
#endif
  return {};
}

CpuFeatures detect_cpu_features() {
  static const CpuFeatures detected = try_features(reported_features());
  return detected;
}

CpuFeatureChoice choose_cpu_features() {
  const char* name = std::getenv("BERT_INFER_ISA");
  const bool is_named = name != nullptr && *name != '\0';
  const CpuFeatures slow = is_named ? CpuFeatures{} : slow_cpu_features();
  // Slow features are not used, and need no test.
  const CpuFeatures detected = slow == CpuFeatures{} ? detect_cpu_features() : reported_features();
  const std::string has = "the CPU has " + names(detected);
  if (!is_named) {
    return {detected.without(slow), has + (slow == CpuFeatures{} ? "" : "; slower than others here: " + names(slow))};
  }
  const CpuFeatures features = detected & allowed_cpu_features(name);
  return {features, has + "; BERT_INFER_ISA=" + name + " leaves " + names(features)};
}

}  // namespace bert
