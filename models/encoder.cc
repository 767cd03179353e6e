#include "models/encoder.h"

namespace bert {

WorkspaceShape workspace_shape(const EncoderPlan& plan, size_t tokens, size_t longest, size_t span, size_t threads) {
  const SelfAttention& attention = plan.layers.front().attention;
  return {.tokens = tokens,
          .longest = longest,
          .span = attention.relative ? span : 0,
          .hidden = attention.heads * attention.head_dim,
          .wide = wide_columns(plan),
          .head_dim = attention.head_dim,
          .turns = plan.rotary.size(),
          .threads = threads,
          .int8_inputs = int8_inputs(plan)};
}

void run_encoder(const EncoderPlan& plan, const RaggedBatch& batch, ExecutionContext& context,
                 ForwardObserver* observer) {
  const MatrixView hidden = context.workspace.hidden();
  for (size_t kind = 0; kind < plan.rotary.size(); ++kind) {
    plan.rotary[kind].turns(batch, context.workspace.turns(kind), context);
  }
  plan.embeddings.forward(batch, hidden, context);
  if (observer != nullptr) observer->hidden_state(0, hidden);
  size_t state = 0, attentions = 0;
  for (const std::vector<size_t>& layers : plan.layer_schedule) {
    for (const size_t index : layers) {
      const LayerSpec& layer = plan.layers[index];
      attention_block(layer, batch, hidden, context);
      if (observer != nullptr) observer->attention(attentions++, layer.attention, context);
      feed_forward_block(layer, hidden, context);
    }
    const bool is_last = ++state == plan.layer_schedule.size();
    if (is_last && plan.final_norm) plan.final_norm->forward(hidden, hidden, context);
    if (observer != nullptr) observer->hidden_state(state, hidden);
  }
}

}  // namespace bert
