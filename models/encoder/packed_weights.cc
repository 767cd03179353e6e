#include "models/encoder/packed_weights.h"

namespace bert {

size_t packed_bytes(const EncoderPlan& plan, const Gemm& gemm) {
  size_t floats = 0;
  for_each_layer_product(plan, [&](const Linear& linear) {
    for (const LinearPart& part : linear.parts) floats += gemm.packed_floats(part.weight);
  });
  return floats * sizeof(float);
}

std::deque<PackedWeight> keep_panels(EncoderPlan& plan, const Checkpoint& checkpoint) {
  std::deque<PackedWeight> places;
  for_each_layer_product(plan, [&](Linear& linear) {
    for (LinearPart& part : linear.parts) {
      const WeightView& weight = part.weight;
      const size_t bytes = weight.rows * weight.cols * element_bytes(weight.format);
      part.packed = &places.emplace_back(checkpoint.mapped({static_cast<const std::byte*>(weight.data), bytes}));
    }
  });
  return places;
}

}  // namespace bert
