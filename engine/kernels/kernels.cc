#include "engine/kernels/kernels.h"

namespace bert {

size_t attention_scratch_floats(size_t length, size_t head_dim) {
  return round_up(length, kAttentionKeyBlock) * head_dim + length * round_up(head_dim, 32) +
         kMaxAttentionQueries * round_up(head_dim, kAttentionKeyBlock) + kAlignment;
}

// The table's rows for all distances and the keys, both transposed, and one row of biases; each padded to whole Lanes.
size_t relative_scratch_floats(size_t span, size_t head_dim) {
  const size_t padded = round_up(span, 16);
  return head_dim * (round_up(span + padded, 16) + padded) + padded;
}

const KernelTable& kernels_for([[maybe_unused]] CpuFeatures features) {
#if defined(__x86_64__)
  if (features.contains({CpuFeature::kAvx2, CpuFeature::kAvx512})) return kAvx512Kernels;
  if (features.contains({CpuFeature::kAvx2})) return kAvx2Kernels;
#endif
  return kPortableKernels;
}

}  // namespace bert
