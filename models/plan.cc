#include "models/plan.h"

#include <algorithm>

namespace bert {

const HeadSpec* EncoderPlan::find(Head head) const {
  const auto found = std::find_if(heads.begin(), heads.end(), [&](const HeadSpec& spec) { return spec.head == head; });
  return found == heads.end() ? nullptr : &*found;
}

size_t wide_columns(const EncoderPlan& plan) {
  size_t columns = plan.embeddings.projection ? plan.embeddings.width() : 0;
  for (const LayerSpec& layer : plan.layers) {
    columns = std::max({columns, layer.attention.qkv.outs(), layer.feed_forward.up.outs()});
  }
  for (const HeadSpec& head : plan.heads) {
    for (const Linear& dense : head.layers.dense) columns = std::max(columns, dense.outs());
  }
  return columns;
}

}  // namespace bert
