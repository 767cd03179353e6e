#include "engine/kernels/products.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(Products, ArePortableWithoutFeatures) {
  const ProductKernels kernels = products_for({});
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kF32)], &kPortableFloatProducts.f32);
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kF16)], &kPortableFloatProducts.f16);
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kBF16)], &kPortableFloatProducts.bf16);
}

#if defined(__x86_64__)
TEST(Products, AreTheFastestThatTheFeaturesAllow) {
  const auto f32 = [](CpuFeatures features) { return products_for(features)[static_cast<size_t>(WeightFormat::kF32)]; };
  EXPECT_EQ(f32(allowed_cpu_features("avx2")), &kAvx2FloatProducts.f32);
  EXPECT_EQ(f32(allowed_cpu_features("avxvnni")), &kAvx2FloatProducts.f32);
  EXPECT_EQ(f32(allowed_cpu_features("avx512")), &kAvx512FloatProducts.f32);
  EXPECT_EQ(f32(allowed_cpu_features("amx")), &kAvx512FloatProducts.f32);
  // The AVX-512 kernels have AVX2 instructions too.
  EXPECT_EQ(f32({CpuFeature::kAvx512}), &kPortableFloatProducts.f32);
}
#endif

}  // namespace
}  // namespace bert
