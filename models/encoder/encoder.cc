#include "models/encoder/encoder.h"

#include <algorithm>

namespace bert {
namespace {

void copy_rows(ConstMatrixView x, MatrixView y, ExecutionContext& context) {
  context.pool.run_rows(x.rows, [&](size_t first, size_t count) {
    for (size_t row = first; row < first + count; ++row) std::copy(x.row(row), x.row(row) + x.cols, y.row(row));
  });
}

}  // namespace

WorkspaceShape workspace_shape(const EncoderPlan& plan, size_t tokens, size_t longest, size_t span, size_t threads) {
  if (plan.layers.empty()) return {.tokens = tokens, .hidden = plan.embeddings.width(), .threads = threads};
  const SelfAttention& attention = plan.layers.front().attention;
  return {.tokens = tokens,
          .longest = longest,
          .span = attention.relative ? span : 0,
          .hidden = attention.heads * attention.head_dim,
          .wide = wide_columns(plan),
          .head_dim = attention.head_dim,
          .rotary_tables = plan.rotary.size(),
          .keeps_input = plan.convolution.has_value(),
          .threads = threads,
          .int8_inputs = int8_inputs(plan)};
}

void run_encoder(const EncoderPlan& plan, const RaggedBatch& batch, ExecutionContext& context,
                 ForwardObserver* observer) {
  const MatrixView hidden = context.workspace.hidden();
  for (size_t kind = 0; kind < plan.rotary.size(); ++kind) {
    plan.rotary[kind].fill_table(batch, context.workspace.rotary_table(kind), context);
  }
  plan.embeddings.forward(batch, hidden, context);
  if (plan.convolution) copy_rows(hidden, context.workspace.input(), context);
  if (observer != nullptr) observer->hidden_state(0, hidden);
  size_t state = 0, attentions = 0;
  for (const std::vector<size_t>& layers : plan.layer_schedule) {
    for (const size_t index : layers) {
      const LayerSpec& layer = plan.layers[index];
      attention_block(layer, batch, hidden, context);
      if (observer != nullptr) observer->attention(attentions++, layer.attention, context);
      feed_forward_block(layer, hidden, context);
    }
    if (state == 0 && plan.convolution) {
      plan.convolution->forward(batch, context.workspace.input(), hidden, context);
    }
    const bool is_last = ++state == plan.layer_schedule.size();
    if (is_last && plan.final_norm) plan.final_norm->forward(hidden, hidden, context);
    if (observer != nullptr) observer->hidden_state(state, hidden);
  }
}

}  // namespace bert
