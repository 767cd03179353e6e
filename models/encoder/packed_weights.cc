#include "models/encoder/packed_weights.h"

#include <utility>

namespace bert {
namespace {

// use(part) for each part of the layers' products; the plan may be const.
template <class Plan, class Use>
void for_each_part(Plan& plan, const Use& use) {
  for (auto& layer : plan.layers) {
    for (auto* linear :
         {&layer.attention.qkv, &layer.attention_output, &layer.feed_forward.up, &layer.feed_forward.down}) {
      for (auto& part : linear->parts) use(part);
    }
  }
}

}  // namespace

size_t packed_bytes(const EncoderPlan& plan, const Gemm& gemm) {
  size_t floats = 0;
  for_each_part(plan, [&](const LinearPart& part) { floats += gemm.packed_floats(part.weight); });
  return floats * sizeof(float);
}

std::deque<PackedWeight> keep_panels(EncoderPlan& plan, const Checkpoint& checkpoint) {
  std::deque<PackedWeight> places;
  for_each_part(plan, [&](LinearPart& part) {
    const WeightView& weight = part.weight;
    const size_t bytes = weight.rows * weight.cols * element_bytes(weight.format);
    part.packed = &places.emplace_back(checkpoint.mapped({static_cast<const std::byte*>(weight.data), bytes}));
  });
  return places;
}

}  // namespace bert
