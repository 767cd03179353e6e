// Model::cost: computes the cost of one forward pass from the configuration and the plan.
#include <algorithm>

#include "models/model/model_impl.h"

namespace bert {

namespace {

double weights_of(const Linear& linear) {
  double weights = 0;
  for (const LinearPart& part : linear.parts) {
    weights += static_cast<double>(part.weight.rows) * static_cast<double>(part.weight.cols);
  }
  return weights;
}

// Returns the weights that a token uses; of experts only the chosen ones count.
double weights_of(const FeedForward& layer) {
  if (!layer.experts) return weights_of(layer.up) + weights_of(layer.down);
  const double of_expert = weights_of(layer.experts->up.front()) + weights_of(layer.experts->down.front());
  return weights_of(layer.experts->router) + static_cast<double>(layer.experts->top_k) * of_expert;
}

// Returns the number of pairs of a query and a key that it sees.
double pairs_of(size_t length, const SelfAttention& attention) {
  if (attention.convolution) return 0;
  const double farthest = static_cast<double>(std::min(attention.window, length - 1));
  const auto all = static_cast<double>(length);
  const double with_others = farthest * (2 * all - farthest - 1);
  return all + (attention.is_causal ? with_others / 2 : with_others);
}

}  // namespace

ForwardCost Model::cost(std::span<const size_t> lengths) const {
  const ModelConfig& config = impl_->config;
  size_t tokens = 0;
  size_t longest = 0;
  for (const size_t length : lengths) {
    tokens += length;
    longest = std::max(longest, length);
  }
  const auto hidden = static_cast<double>(config.hidden_size);
  ForwardCost cost;
  for (const std::vector<size_t>& layers : impl_->encoder.plan.layer_schedule) {
    for (const size_t index : layers) {
      const LayerSpec& layer = impl_->encoder.plan.layers[index];
      double dense_weights =
          weights_of(layer.attention.qkv) + weights_of(layer.attention.global) + weights_of(layer.attention_output);
      if (layer.convolution) {
        const SpanConvolution& beside = *layer.convolution;
        dense_weights += weights_of(beside.pointwise) + weights_of(beside.kernel) + weights_of(beside.values);
      }
      if (layer.bottleneck) dense_weights += weights_of(layer.bottleneck->enter) + weights_of(layer.bottleneck->leave);
      for (const FeedForwardBlock& block : layer.feed_forwards) dense_weights += weights_of(block.network);
      cost.flops += 2 * static_cast<double>(tokens) * dense_weights;
      const auto heads = static_cast<double>(layer.attention.outputs());
      for (const size_t length : lengths) cost.flops += 4 * pairs_of(length, layer.attention) * heads;
    }
  }
  if (impl_->encoder.plan.convolution)
    cost.flops += 2 * static_cast<double>(tokens) * weights_of(impl_->encoder.plan.convolution->dense);
  if (config.embedding_width() != config.hidden_size) {
    cost.flops += 2 * static_cast<double>(tokens) * hidden * static_cast<double>(config.embedding_width());
  }
  if (has_pooler()) cost.flops += 2 * static_cast<double>(lengths.size()) * hidden * hidden;
  const std::vector<WeightRole>& roles = impl_->encoder.weights.roles;
  for (size_t i = 0; i < roles.size(); ++i) {
    // Only the tokens' rows of the embedding tables are read.
    const bool is_read = roles[i] != WeightRole::kUnused && roles[i] != WeightRole::kHead;
    if (is_read && roles[i] != WeightRole::kTable) {
      cost.weight_bytes += impl_->encoder.weights.used_bytes[i];
    }
  }
  const WorkspaceShape shape = workspace_shape(impl_->encoder.plan, tokens, longest, longest, impl_->backend.threads());
  cost.workspace_bytes = Workspace::bytes(shape, impl_->backend.gemm());
  return cost;
}

}  // namespace bert
