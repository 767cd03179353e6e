#include "engine/kernels/kernels.h"

namespace bert {

// Scratch for keys, values, a block of queries' sums, and these queries rounded.
size_t attention_scratch_floats(size_t length, size_t head_dim) {
  return round_up(length, kAttentionKeyBlock) * head_dim + length * round_up(head_dim, 32) +
         kMaxAttentionQueries * (round_up(head_dim, kAttentionKeyBlock) + round_up(head_dim, 16) + 16) + kAlignment;
}

// Scratch for a table's rows for all distances, transposed and padded, and for a block of products.
size_t relative_scratch_floats(size_t span, size_t head_dim) {
  return kRelativeBlockFloats + head_dim * (round_up(2 * span, 16) + kAttentionKeyBlock);
}

const KernelTable& kernels_for([[maybe_unused]] CpuFeatures features) {
#if defined(__x86_64__)
  if (features.contains({CpuFeature::kAvx2, CpuFeature::kAvx512, CpuFeature::kAvx512Bf16})) {
    static const KernelTable table = [] {
      KernelTable with_bf16 = kAvx512Kernels;
      with_bf16.bfloat16_attention = kAvx512Bf16Attention;
      return with_bf16;
    }();
    return table;
  }
  if (features.contains({CpuFeature::kAvx2, CpuFeature::kAvx512})) return kAvx512Kernels;
  if (features.contains({CpuFeature::kAvx2})) return kAvx2Kernels;
#elif defined(__aarch64__)
  if (features.contains({CpuFeature::kNeon})) return kNeonKernels;
#elif defined(__wasm__)
  if (features.contains({CpuFeature::kSimd128, CpuFeature::kRelaxedSimd})) return kRelaxedKernels;
  if (features.contains({CpuFeature::kSimd128})) return kWasmKernels;
#endif
  return kPortableKernels;
}

}  // namespace bert
