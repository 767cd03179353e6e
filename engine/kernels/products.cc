#include "engine/kernels/products.h"

namespace bert {
namespace {

struct Candidate {
  size_t index;  // kernel_index
  CpuFeatures needed;
  const ProductKernel* kernel;
};

#if defined(__x86_64__)
constexpr CpuFeatures kAvx512Bf16 = {CpuFeature::kAvx2, CpuFeature::kAvx512, CpuFeature::kAvx512Bf16};
constexpr CpuFeatures kAvx512Vnni = {CpuFeature::kAvx2, CpuFeature::kAvx512, CpuFeature::kAvx512Vnni};
#elif defined(__aarch64__)
constexpr CpuFeatures kI8mm = {CpuFeature::kNeon, CpuFeature::kDotprod, CpuFeature::kI8mm};
#elif defined(__wasm__)
constexpr CpuFeatures kRelaxed = {CpuFeature::kSimd128, CpuFeature::kRelaxedSimd};
#endif

constexpr size_t kBFloat16F32 = kernel_index(WeightFormat::kF32, ProductArithmetic::kBFloat16);
constexpr size_t kBFloat16F16 = kernel_index(WeightFormat::kF16, ProductArithmetic::kBFloat16);
constexpr size_t kBFloat16BF16 = kernel_index(WeightFormat::kBF16, ProductArithmetic::kBFloat16);

// Kernels for each index, the fastest first.
constexpr Candidate kCandidates[] = {
#if defined(__x86_64__)
    {kernel_index(WeightFormat::kF32), {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512FloatProducts.f32},
    {kernel_index(WeightFormat::kF16), {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512FloatProducts.f16},
    {kernel_index(WeightFormat::kBF16), {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512FloatProducts.bf16},
    {kernel_index(WeightFormat::kF32), {CpuFeature::kAvx2}, &kAvx2FloatProducts.f32},
    {kernel_index(WeightFormat::kF16), {CpuFeature::kAvx2}, &kAvx2FloatProducts.f16},
    {kernel_index(WeightFormat::kBF16), {CpuFeature::kAvx2}, &kAvx2FloatProducts.bf16},
    {kernel_index(WeightFormat::kI8), kAvx512Vnni, &kAvx512VnniInt8Products.asymmetric},
    {kernel_index(WeightFormat::kI8), {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512Int8Products.asymmetric},
    {kernel_index(WeightFormat::kI8), {CpuFeature::kAvx2, CpuFeature::kAvxVnni}, &kAvxVnniInt8Products.asymmetric},
    {kernel_index(WeightFormat::kI8), {CpuFeature::kAvx2}, &kAvx2Int8Products.asymmetric},
    {kernel_index(WeightFormat::kI8Symmetric), kAvx512Vnni, &kAvx512VnniInt8Products.symmetric},
    {kernel_index(WeightFormat::kI8Symmetric),
     {CpuFeature::kAvx2, CpuFeature::kAvx512},
     &kAvx512Int8Products.symmetric},
    {kernel_index(WeightFormat::kI8Symmetric),
     {CpuFeature::kAvx2, CpuFeature::kAvxVnni},
     &kAvxVnniInt8Products.symmetric},
    {kernel_index(WeightFormat::kI8Symmetric), {CpuFeature::kAvx2}, &kAvx2Int8Products.symmetric},
    {kBFloat16F32, kAvx512Bf16, &kAvx512Bf16BFloat16Products.f32},
    {kBFloat16F16, kAvx512Bf16, &kAvx512Bf16BFloat16Products.f16},
    {kBFloat16BF16, kAvx512Bf16, &kAvx512Bf16BFloat16Products.bf16},
    {kBFloat16F32, {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512BFloat16Products.f32},
    {kBFloat16F16, {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512BFloat16Products.f16},
    {kBFloat16BF16, {CpuFeature::kAvx2, CpuFeature::kAvx512}, &kAvx512BFloat16Products.bf16},
    {kBFloat16F32, {CpuFeature::kAvx2}, &kAvx2BFloat16Products.f32},
    {kBFloat16F16, {CpuFeature::kAvx2}, &kAvx2BFloat16Products.f16},
    {kBFloat16BF16, {CpuFeature::kAvx2}, &kAvx2BFloat16Products.bf16},
#elif defined(__aarch64__)
    {kernel_index(WeightFormat::kF32), {CpuFeature::kNeon}, &kNeonFloatProducts.f32},
    {kernel_index(WeightFormat::kF16), {CpuFeature::kNeon}, &kNeonFloatProducts.f16},
    {kernel_index(WeightFormat::kBF16), {CpuFeature::kNeon}, &kNeonFloatProducts.bf16},
    {kernel_index(WeightFormat::kI8), kI8mm, &kI8mmInt8Products.asymmetric},
    {kernel_index(WeightFormat::kI8), {CpuFeature::kNeon, CpuFeature::kDotprod}, &kDotprodInt8Products.asymmetric},
    {kernel_index(WeightFormat::kI8), {CpuFeature::kNeon}, &kNeonInt8Products.asymmetric},
    {kernel_index(WeightFormat::kI8Symmetric), kI8mm, &kI8mmInt8Products.symmetric},
    {kernel_index(WeightFormat::kI8Symmetric),
     {CpuFeature::kNeon, CpuFeature::kDotprod},
     &kDotprodInt8Products.symmetric},
    {kernel_index(WeightFormat::kI8Symmetric), {CpuFeature::kNeon}, &kNeonInt8Products.symmetric},
    {kBFloat16F32, {CpuFeature::kNeon}, &kNeonBFloat16Products.f32},
    {kBFloat16F16, {CpuFeature::kNeon}, &kNeonBFloat16Products.f16},
    {kBFloat16BF16, {CpuFeature::kNeon}, &kNeonBFloat16Products.bf16},
#elif defined(__wasm__)
    {kernel_index(WeightFormat::kF32), kRelaxed, &kRelaxedFloatProducts.f32},
    {kernel_index(WeightFormat::kF16), kRelaxed, &kRelaxedFloatProducts.f16},
    {kernel_index(WeightFormat::kBF16), kRelaxed, &kRelaxedFloatProducts.bf16},
    {kernel_index(WeightFormat::kF32), {CpuFeature::kSimd128}, &kWasmFloatProducts.f32},
    {kernel_index(WeightFormat::kF16), {CpuFeature::kSimd128}, &kWasmFloatProducts.f16},
    {kernel_index(WeightFormat::kBF16), {CpuFeature::kSimd128}, &kWasmFloatProducts.bf16},
    {kernel_index(WeightFormat::kI8), kRelaxed, &kRelaxedInt8Products.asymmetric},
    {kernel_index(WeightFormat::kI8), {CpuFeature::kSimd128}, &kWasmInt8Products.asymmetric},
    {kernel_index(WeightFormat::kI8Symmetric), kRelaxed, &kRelaxedInt8Products.symmetric},
    {kernel_index(WeightFormat::kI8Symmetric), {CpuFeature::kSimd128}, &kWasmInt8Products.symmetric},
    {kBFloat16F32, kRelaxed, &kRelaxedBFloat16Products.f32},
    {kBFloat16F16, kRelaxed, &kRelaxedBFloat16Products.f16},
    {kBFloat16BF16, kRelaxed, &kRelaxedBFloat16Products.bf16},
    {kBFloat16F32, {CpuFeature::kSimd128}, &kWasmBFloat16Products.f32},
    {kBFloat16F16, {CpuFeature::kSimd128}, &kWasmBFloat16Products.f16},
    {kBFloat16BF16, {CpuFeature::kSimd128}, &kWasmBFloat16Products.bf16},
#endif
    {kernel_index(WeightFormat::kF32), {}, &kPortableFloatProducts.f32},
    {kernel_index(WeightFormat::kF16), {}, &kPortableFloatProducts.f16},
    {kernel_index(WeightFormat::kBF16), {}, &kPortableFloatProducts.bf16},
    {kernel_index(WeightFormat::kI8), {}, &kPortableInt8Products.asymmetric},
    {kernel_index(WeightFormat::kI8Symmetric), {}, &kPortableInt8Products.symmetric},
    {kBFloat16F32, {}, &kPortableBFloat16Products.f32},
    {kBFloat16F16, {}, &kPortableBFloat16Products.f16},
    {kBFloat16BF16, {}, &kPortableBFloat16Products.bf16},
};

constexpr const ProductKernel* fastest(size_t index, CpuFeatures features) {
  for (const Candidate& candidate : kCandidates) {
    if (candidate.index == index && features.contains(candidate.needed)) return candidate.kernel;
  }
  return nullptr;
}

constexpr ProductKernels fastest_of_each(CpuFeatures features) {
  ProductKernels kernels{};
  for (size_t i = 0; i < kernels.size(); ++i) kernels[i] = fastest(i, features);
  return kernels;
}

constexpr bool each_has_a_portable_kernel() {
  for (const ProductKernel* kernel : fastest_of_each({})) {
    if (kernel == nullptr) return false;
  }
  return true;
}
static_assert(each_has_a_portable_kernel());

}  // namespace

ProductKernels products_for(CpuFeatures features) { return fastest_of_each(features); }

const ScanKernels& scans_for([[maybe_unused]] CpuFeatures features) {
#if defined(__x86_64__)
  if (features.contains({CpuFeature::kAvx2, CpuFeature::kAvx512, CpuFeature::kAvx512Vnni})) return kAvx512VnniScans;
  if (features.contains({CpuFeature::kAvx2, CpuFeature::kAvx512})) return kAvx512Scans;
  if (features.contains({CpuFeature::kAvx2, CpuFeature::kAvxVnni})) return kAvxVnniScans;
  if (features.contains({CpuFeature::kAvx2})) return kAvx2Scans;
#elif defined(__aarch64__)
  if (features.contains({CpuFeature::kNeon})) return kNeonScans;
#elif defined(__wasm__)
  if (features.contains({CpuFeature::kSimd128, CpuFeature::kRelaxedSimd})) return kRelaxedScans;
  if (features.contains({CpuFeature::kSimd128})) return kWasmScans;
#endif
  return kPortableScans;
}

}  // namespace bert
