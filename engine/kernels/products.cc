#include "engine/kernels/products.h"

namespace bert {
namespace {

struct Candidate {
  WeightFormat format;
  CpuFeatures needed;
  const ProductKernel* kernel;
};

#if defined(__x86_64__)
constexpr CpuFeatures kAvx512Vnni = {CpuFeature::kAvx2, CpuFeature::kAvx512, CpuFeature::kAvx512Vnni};
#elif defined(__aarch64__)
constexpr CpuFeatures kI8mm = {CpuFeature::kNeon, CpuFeature::kDotprod, CpuFeature::kI8mm};
#elif defined(__wasm__)
constexpr CpuFeatures kRelaxed = {CpuFeature::kSimd128, CpuFeature::kRelaxedSimd};
#endif

// For each format, the fastest first.
constexpr Candidate kCandidates[] = {
#if defined(__x86_64__)
    {WeightFormat::kF32, {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512FloatProducts.f32},
    {WeightFormat::kF16, {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512FloatProducts.f16},
    {WeightFormat::kBF16, {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512FloatProducts.bf16},
    {WeightFormat::kF32, {CpuFeature::kAvx2}, &kAvx2FloatProducts.f32},
    {WeightFormat::kF16, {CpuFeature::kAvx2}, &kAvx2FloatProducts.f16},
    {WeightFormat::kBF16, {CpuFeature::kAvx2}, &kAvx2FloatProducts.bf16},
    {WeightFormat::kI8, kAvx512Vnni, &kAvx512VnniInt8Products.asymmetric},
    {WeightFormat::kI8, {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512Int8Products.asymmetric},
    {WeightFormat::kI8, {CpuFeature::kAvx2, CpuFeature::kAvxVnni}, &kAvxVnniInt8Products.asymmetric},
    {WeightFormat::kI8, {CpuFeature::kAvx2}, &kAvx2Int8Products.asymmetric},
    {WeightFormat::kI8Symmetric, kAvx512Vnni, &kAvx512VnniInt8Products.symmetric},
    {WeightFormat::kI8Symmetric, {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512Int8Products.symmetric},
    {WeightFormat::kI8Symmetric, {CpuFeature::kAvx2, CpuFeature::kAvxVnni}, &kAvxVnniInt8Products.symmetric},
    {WeightFormat::kI8Symmetric, {CpuFeature::kAvx2}, &kAvx2Int8Products.symmetric},
#elif defined(__aarch64__)
    {WeightFormat::kF32, {CpuFeature::kNeon}, &kNeonFloatProducts.f32},
    {WeightFormat::kF16, {CpuFeature::kNeon}, &kNeonFloatProducts.f16},
    {WeightFormat::kBF16, {CpuFeature::kNeon}, &kNeonFloatProducts.bf16},
    {WeightFormat::kI8, kI8mm, &kI8mmInt8Products.asymmetric},
    {WeightFormat::kI8, {CpuFeature::kNeon, CpuFeature::kDotprod}, &kDotprodInt8Products.asymmetric},
    {WeightFormat::kI8, {CpuFeature::kNeon}, &kNeonInt8Products.asymmetric},
    {WeightFormat::kI8Symmetric, kI8mm, &kI8mmInt8Products.symmetric},
    {WeightFormat::kI8Symmetric, {CpuFeature::kNeon, CpuFeature::kDotprod}, &kDotprodInt8Products.symmetric},
    {WeightFormat::kI8Symmetric, {CpuFeature::kNeon}, &kNeonInt8Products.symmetric},
#elif defined(__wasm__)
    {WeightFormat::kF32, kRelaxed, &kRelaxedFloatProducts.f32},
    {WeightFormat::kF16, kRelaxed, &kRelaxedFloatProducts.f16},
    {WeightFormat::kBF16, kRelaxed, &kRelaxedFloatProducts.bf16},
    {WeightFormat::kF32, {CpuFeature::kSimd128}, &kWasmFloatProducts.f32},
    {WeightFormat::kF16, {CpuFeature::kSimd128}, &kWasmFloatProducts.f16},
    {WeightFormat::kBF16, {CpuFeature::kSimd128}, &kWasmFloatProducts.bf16},
    {WeightFormat::kI8, kRelaxed, &kRelaxedInt8Products.asymmetric},
    {WeightFormat::kI8, {CpuFeature::kSimd128}, &kWasmInt8Products.asymmetric},
    {WeightFormat::kI8Symmetric, kRelaxed, &kRelaxedInt8Products.symmetric},
    {WeightFormat::kI8Symmetric, {CpuFeature::kSimd128}, &kWasmInt8Products.symmetric},
#endif
    {WeightFormat::kF32, {}, &kPortableFloatProducts.f32},
    {WeightFormat::kF16, {}, &kPortableFloatProducts.f16},
    {WeightFormat::kBF16, {}, &kPortableFloatProducts.bf16},
    {WeightFormat::kI8, {}, &kPortableInt8Products.asymmetric},
    {WeightFormat::kI8Symmetric, {}, &kPortableInt8Products.symmetric},
};

constexpr const ProductKernel* fastest(WeightFormat format, CpuFeatures features) {
  for (const Candidate& candidate : kCandidates) {
    if (candidate.format == format && features.contains(candidate.needed)) return candidate.kernel;
  }
  return nullptr;
}

constexpr ProductKernels fastest_of_each_format(CpuFeatures features) {
  ProductKernels kernels{};
  for (size_t i = 0; i < kWeightFormats; ++i) kernels[i] = fastest(static_cast<WeightFormat>(i), features);
  return kernels;
}

constexpr bool has_portable_kernel(WeightFormat format) {
  for (const Candidate& candidate : kCandidates) {
    if (candidate.format == format && candidate.needed == CpuFeatures{}) return true;
  }
  return false;
}

constexpr bool each_format_has_a_portable_kernel() {
  for (size_t i = 0; i < kWeightFormats; ++i) {
    if (!has_portable_kernel(static_cast<WeightFormat>(i))) return false;
  }
  return true;
}
static_assert(each_format_has_a_portable_kernel());

}  // namespace

ProductKernels products_for(CpuFeatures features) { return fastest_of_each_format(features); }

}  // namespace bert
