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

void run_encoder(const EncoderPlan& plan, const RaggedBatch& batch, ExecutionContext& context,
                 ForwardObserver* observer) {
  const Workspace& workspace = context.workspace;
  const MatrixView hidden = workspace.hidden(), attended = workspace.attended();
  // Each hidden state has counts of its own.
  const auto next_counts = [&] {
    if (context.coarse_rows != nullptr) context.coarse_rows += batch.tokens();
  };
  for (size_t kind = 0; kind < plan.rotary.size(); ++kind) {
    plan.rotary[kind].fill_table(batch, workspace.rotary_table(kind), context);
  }
  plan.embeddings.forward(batch, hidden, context);
  next_counts();
  if (plan.convolution) copy_rows(hidden, workspace.input(), context);
  if (observer != nullptr) observer->hidden_state(0, hidden);
  size_t state = 0, attentions = 0;
  const ChangeHeads change_heads = [&](MatrixView heads) { observer->heads(attentions, heads); };
  for (const std::vector<size_t>& layers : plan.layer_schedule) {
    if (state > 0 && plan.positions_at_every_layer) plan.embeddings.add_positions(batch, hidden, context);
    for (const size_t index : layers) {
      const LayerSpec& layer = plan.layers[index];
      attention_block(layer, batch, hidden, attended, context, observer == nullptr ? nullptr : &change_heads);
      if (observer != nullptr) observer->attention(attentions++, layer.attention, context);
      feed_forward_block(layer, attended, hidden, context);
    }
    if (state == 0 && plan.convolution) plan.convolution->forward(batch, workspace.input(), hidden, context);
    next_counts();
    const bool is_last = ++state == plan.layer_schedule.size();
    if (is_last && plan.final_norm) plan.final_norm->forward(hidden, hidden, context);
    if (observer != nullptr) observer->hidden_state(state, hidden);
  }
}

}  // namespace bert
