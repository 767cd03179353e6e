#include "engine/layers/softmax.h"

namespace bert {

void softmax_row(const float* logits, float* probabilities, size_t count, float* scratch, const KernelTable& kernels) {
  // Uses the kernel of attention: the logits are the keys of a query 1.
  const float one = 1;
  AttentionArgs args{};
  args.q = &one;
  args.k = args.v = logits;
  args.stride = 1;
  args.length = count;
  args.head_dim = 1;
  args.scale = 1;
  args.queries = 1;
  args.window = kNoWindow;
  args.context = probabilities;
  args.context_stride = count;
  args.scratch = scratch;
  kernels.attention.probabilities(args);
}

}  // namespace bert
