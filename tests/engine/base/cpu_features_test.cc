#include "engine/base/cpu_features.h"

#include <gtest/gtest.h>

#include <string>

#include "bert/error.h"
#include "tests/support/environment.h"

namespace bert {
namespace {

using enum CpuFeature;
constexpr const char* kVariable = "BERT_INFER_ISA";

// Registers of some CPUs. The Software Developer's Manual defines the bits. The saved states are x87, SSE and AVX, then
// three of AVX-512, then two of AMX.
constexpr CpuRegisters kHaswell = {.leaf1_ecx = 0x3800'1000, .leaf7_ebx = 0x20, .saved_states = 0x7};
constexpr CpuRegisters kCascadeLake = {
    .leaf1_ecx = 0x3800'1000, .leaf7_ebx = 0xC003'0020, .leaf7_ecx = 0x800, .saved_states = 0xE7};
constexpr CpuRegisters kAlderLake = {
    .leaf1_ecx = 0x3800'1000, .leaf7_ebx = 0x20, .leaf7_1_eax = 0x10, .saved_states = 0x7};
constexpr CpuRegisters kSapphireRapids = {.leaf1_ecx = 0x3800'1000,
                                          .leaf7_ebx = 0xC003'0020,
                                          .leaf7_ecx = 0x800,
                                          .leaf7_edx = 0x0340'0000,
                                          .leaf7_1_eax = 0x30,
                                          .saved_states = 0x6'00E7,
                                          .tile_data_granted = true};

TEST(CpuFeatures, AreASet) {
  const CpuFeatures two = {kAvx2, kAvx512};
  EXPECT_TRUE(two.contains({}));
  EXPECT_TRUE(two.contains({kAvx512}));
  EXPECT_FALSE(two.contains({kAvx2, kAvxVnni}));
  EXPECT_EQ((two & CpuFeatures{kAvx512, kAmxTile}), CpuFeatures{kAvx512});
  EXPECT_EQ((two | CpuFeatures{kAmxTile}), (CpuFeatures{kAvx2, kAvx512, kAmxTile}));
  EXPECT_EQ(two.without({kAvx512, kAmxTile}), CpuFeatures{kAvx2});
  EXPECT_EQ(names(two), "avx2, avx512");
  EXPECT_EQ(names({}), "none");
}

TEST(FeaturesOf, AreThoseOfTheCpu) {
  EXPECT_EQ(features_of(CpuRegisters{}), CpuFeatures{});
  EXPECT_EQ(features_of(kHaswell), CpuFeatures{kAvx2});
  EXPECT_EQ(features_of(kCascadeLake), (CpuFeatures{kAvx2, kAvx512, kAvx512Vnni}));
  EXPECT_EQ(features_of(kAlderLake), (CpuFeatures{kAvx2, kAvxVnni}));
  EXPECT_EQ(features_of(kSapphireRapids),
            (CpuFeatures{kAvx2, kAvxVnni, kAvx512, kAvx512Vnni, kAvx512Bf16, kAmxTile, kAmxInt8, kAmxBf16}));
}

TEST(FeaturesOf, AreOnlyThoseWhoseRegistersTheSystemSaves) {
  CpuRegisters registers = kSapphireRapids;
  registers.tile_data_granted = false;
  const CpuFeatures without_tiles = {kAvx2, kAvxVnni, kAvx512, kAvx512Vnni, kAvx512Bf16};
  EXPECT_EQ(features_of(registers), without_tiles);
  registers = kSapphireRapids;
  registers.saved_states = 0xE7;
  EXPECT_EQ(features_of(registers), without_tiles);
  registers.saved_states = 0x7;
  EXPECT_EQ(features_of(registers), (CpuFeatures{kAvx2, kAvxVnni}));
  registers.saved_states = 0;
  EXPECT_EQ(features_of(registers), CpuFeatures{});
}

TEST(FeaturesOf, NeedEveryPartOfAFlag) {
  CpuRegisters registers = kCascadeLake;
  registers.leaf1_ecx = 0x1800'1000;  // without F16C
  EXPECT_EQ(features_of(registers), (CpuFeatures{kAvx512, kAvx512Vnni}));
  registers = kCascadeLake;
  registers.leaf7_ebx = 0x4003'0020;  // without VL
  EXPECT_EQ(features_of(registers), (CpuFeatures{kAvx2, kAvx512Vnni}));
}

// In the first word, bit 1 is NEON and bit 20 is SDOT; in the second, bit 13 is SMMLA.
TEST(FeaturesOf, AreThoseOfAnArmCpu) {
  EXPECT_EQ(features_of(ArmCapabilities{}), CpuFeatures{});
  EXPECT_EQ(features_of(ArmCapabilities{.hwcap = 0x8FF}), CpuFeatures{kNeon});  // a Cortex-A72
  EXPECT_EQ(features_of(ArmCapabilities{.hwcap = 0x10'0002}), (CpuFeatures{kNeon, kDotprod}));
  EXPECT_EQ(features_of(ArmCapabilities{.hwcap = 0x10'0002, .hwcap2 = 0x2000}), (CpuFeatures{kNeon, kDotprod, kI8mm}));
  EXPECT_EQ(features_of(ArmCapabilities{.hwcap = 0xFFEF'FFFF, .hwcap2 = 0xFFFF'DFFF}), CpuFeatures{kNeon});
}

TEST(ChooseCpuFeatures, TakesWhatTheCpuHas) {
  for (const char* none : {static_cast<const char*>(nullptr), ""}) {
    const test::WithVariable with(kVariable, none);
    const CpuFeatures detected = detect_cpu_features(), slow = slow_cpu_features();
    EXPECT_EQ(choose_cpu_features().features, detected.without(slow));
    EXPECT_EQ(choose_cpu_features().reason,
              "the CPU has " + names(detected | slow) +
                  (slow == CpuFeatures{} ? "" : "; slower than others here: " + names(slow)));
  }
}

// The names remove features of the CPU and never add any.
TEST(ChooseCpuFeatures, TakesWhatTheEnvironmentAllows) {
  for (const NamedCpuFeatures& named : kNamedCpuFeatures) {
    const test::WithVariable with(kVariable, named.name.data());
    const CpuFeatures expected = detect_cpu_features() & named.allowed;
    EXPECT_EQ(choose_cpu_features().features, expected) << named.name;
    EXPECT_EQ(choose_cpu_features().reason, "the CPU has " + names(detect_cpu_features()) + "; BERT_INFER_ISA=" +
                                                std::string(named.name) + " leaves " + names(expected));
  }
}

TEST(AllowedCpuFeatures, MakeAvx512OnACpuWithoutItAvx2) {
  EXPECT_EQ((features_of(kAlderLake) & allowed_cpu_features("avx512")), CpuFeatures{kAvx2});
  EXPECT_EQ((features_of(kHaswell) & allowed_cpu_features("amx")), CpuFeatures{kAvx2});
  EXPECT_EQ((features_of(kSapphireRapids) & allowed_cpu_features("avxvnni")), (CpuFeatures{kAvx2, kAvxVnni}));
  EXPECT_EQ((features_of(kSapphireRapids) & allowed_cpu_features("portable")), CpuFeatures{});
}

TEST(ChooseCpuFeatures, RefusesAnyOtherName) {
  for (const char* wrong : {"sse", "AVX2", "avx", "avx2 "}) {
    const test::WithVariable with(kVariable, wrong);
    try {
      choose_cpu_features();
      ADD_FAILURE() << "'" << wrong << "' was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_EQ(std::string(error.what()), "BERT_INFER_ISA: found '" + std::string(wrong) +
                                               "', expected portable, avx2, avxvnni, avx512, avx512vnni, avx512bf16, "
                                               "amx, neon, dotprod, i8mm, simd128 or "
                                               "relaxed");
    }
  }
}

TEST(CpuFeatures, HaveSsse3WhereTheyHaveAvx2) {
  EXPECT_TRUE(has_ssse3() || !detect_cpu_features().contains({CpuFeature::kAvx2}));
}

}  // namespace
}  // namespace bert
