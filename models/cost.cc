// Model::cost: the cost of one forward pass, computed from the configuration and the plan.
#include <algorithm>

#include "models/model_impl.h"

namespace bert {

ForwardCost Model::cost(std::span<const size_t> lengths) const {
  const ModelConfig& config = impl_->config;
  size_t tokens = 0;
  size_t longest = 0;
  double pairs = 0;  // of a query and a key
  for (const size_t length : lengths) {
    tokens += length;
    longest = std::max(longest, length);
    pairs += static_cast<double>(length) * static_cast<double>(length);
  }
  const auto hidden = static_cast<double>(config.hidden_size);
  const double dense_weights = 4 * hidden * hidden + 2 * hidden * static_cast<double>(config.intermediate_size);
  ForwardCost cost;
  cost.flops = static_cast<double>(config.attention_layers()) *
               (2 * static_cast<double>(tokens) * dense_weights + 4 * pairs * hidden);
  if (config.embedding_width() != config.hidden_size) {
    cost.flops += 2 * static_cast<double>(tokens) * hidden * static_cast<double>(config.embedding_width());
  }
  if (has_pooler()) cost.flops += 2 * static_cast<double>(lengths.size()) * hidden * hidden;
  const std::vector<WeightRole>& roles = impl_->weights.roles;
  for (size_t i = 0; i < roles.size(); ++i) {
    // Only the tokens' rows of the embedding tables are read.
    const bool is_read = roles[i] != WeightRole::kUnused && roles[i] != WeightRole::kHead;
    if (is_read && roles[i] != WeightRole::kTable) {
      cost.weight_bytes += impl_->weights.used_bytes[i];
    }
  }
  const WorkspaceShape shape = workspace_shape(impl_->plan, tokens, longest, longest, impl_->backend.threads());
  cost.workspace_bytes = Workspace::bytes(shape, impl_->backend.gemm());
  return cost;
}

}  // namespace bert
