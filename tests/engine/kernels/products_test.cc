#include "engine/kernels/products.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "tests/support/isa.h"

namespace bert {
namespace {

TEST(Products, ArePortableWithoutFeatures) {
  const ProductKernels kernels = products_for({});
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kF32)], &kPortableFloatProducts.f32);
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kF16)], &kPortableFloatProducts.f16);
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kBF16)], &kPortableFloatProducts.bf16);
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kI8)], &kPortableInt8Products.asymmetric);
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kI8Symmetric)], &kPortableInt8Products.symmetric);
}

#if defined(__x86_64__)
TEST(Products, AreTheFastestThatTheFeaturesAllow) {
  const auto f32 = [](CpuFeatures features) { return products_for(features)[static_cast<size_t>(WeightFormat::kF32)]; };
  EXPECT_EQ(f32(allowed_cpu_features("avx2")), &kAvx2FloatProducts.f32);
  EXPECT_EQ(f32(allowed_cpu_features("avxvnni")), &kAvx2FloatProducts.f32);
  EXPECT_EQ(f32(allowed_cpu_features("avx512")), &kAvx512FloatProducts.f32);
  EXPECT_EQ(f32(allowed_cpu_features("amx")), &kAvx512FloatProducts.f32);
  const auto i8 = [](CpuFeatures features) { return products_for(features)[static_cast<size_t>(WeightFormat::kI8)]; };
  EXPECT_EQ(i8(allowed_cpu_features("avx2")), &kAvx2Int8Products.asymmetric);
  EXPECT_EQ(i8(allowed_cpu_features("avxvnni")), &kAvxVnniInt8Products.asymmetric);
  EXPECT_EQ(i8(allowed_cpu_features("avx512")), &kAvx512Int8Products.asymmetric);
  EXPECT_EQ(i8(allowed_cpu_features("avx512vnni")), &kAvx512VnniInt8Products.asymmetric);
  EXPECT_EQ(i8(allowed_cpu_features("amx")), &kAvx512VnniInt8Products.asymmetric);
  std::string not_run;
  const auto rounded = [](CpuFeatures features) {
    return products_for(features)[kernel_index(WeightFormat::kBF16, ProductArithmetic::kBFloat16)];
  };
  for (const char* isa : test::kBFloat16Isas) {
    if (!test::cpu_has(isa)) not_run += std::string(" ") + isa;
    EXPECT_STREQ(rounded(allowed_cpu_features(isa))->name, isa);
  }
  EXPECT_EQ(rounded(allowed_cpu_features("avxvnni")), &kAvx2BFloat16Products.bf16);
  EXPECT_EQ(rounded(allowed_cpu_features("avx512vnni")), &kAvx512BFloat16Products.bf16);
  EXPECT_EQ(rounded(allowed_cpu_features("avx512bf16")), &kAvx512Bf16BFloat16Products.bf16);
  EXPECT_EQ(rounded(allowed_cpu_features("amx")), &kAvx512Bf16BFloat16Products.bf16);
  for (const char* isa : test::kProductIsas) {
    if (!test::cpu_has(isa)) not_run += std::string(" ") + isa;
    EXPECT_STREQ(i8(allowed_cpu_features(isa))->name, isa);
  }
  std::cout << "instruction sets whose products were not run here:" << (not_run.empty() ? " none" : not_run) << "\n";
  // The AVX-512 kernels have AVX2 instructions too.
  EXPECT_EQ(f32({CpuFeature::kAvx512}), &kPortableFloatProducts.f32);
}
#elif defined(__aarch64__)
TEST(Products, AreTheFastestThatTheFeaturesAllow) {
  const auto of = [](WeightFormat format, CpuFeatures features) {
    return products_for(features)[static_cast<size_t>(format)];
  };
  for (const char* isa : {"neon", "dotprod", "i8mm"}) {
    EXPECT_EQ(of(WeightFormat::kF32, allowed_cpu_features(isa)), &kNeonFloatProducts.f32) << isa;
  }
  EXPECT_EQ(of(WeightFormat::kI8, allowed_cpu_features("neon")), &kNeonInt8Products.asymmetric);
  EXPECT_EQ(of(WeightFormat::kI8, allowed_cpu_features("dotprod")), &kDotprodInt8Products.asymmetric);
  EXPECT_EQ(of(WeightFormat::kI8, allowed_cpu_features("i8mm")), &kI8mmInt8Products.asymmetric);
  EXPECT_EQ(of(WeightFormat::kI8Symmetric, allowed_cpu_features("i8mm")), &kI8mmInt8Products.symmetric);
  // SMMLA's kernels have SDOT too.
  EXPECT_EQ(of(WeightFormat::kI8, {CpuFeature::kNeon, CpuFeature::kI8mm}), &kNeonInt8Products.asymmetric);
}
#endif

}  // namespace
}  // namespace bert
