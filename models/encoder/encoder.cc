#include "models/encoder/encoder.h"

#include <optional>

#include "engine/base/work_control.h"
#include "models/encoder/packed_weights.h"
#include "models/encoder/sequence_blocks.h"

namespace bert {
namespace {

// Rows per thread that a layer takes at once if the weights' panels exist: BERT-base's layer then writes about as much
// as a core's L2 holds. Without panels each block would transpose the weights again.
constexpr size_t kBlockRows = 128;

size_t rows_of_block(const EncoderPlan& plan, const RaggedBatch& batch, const ForwardObserver* observer,
                     const ThreadPool& pool) {
  const bool is_whole = observer != nullptr || plan.packed == nullptr || !plan.packed->all_are_published();
  return is_whole ? batch.tokens() : kBlockRows * pool.threads_of_a_caller();
}

}  // namespace

void run_encoder(const EncoderPlan& plan, const RaggedBatch& batch, ExecutionContext& context,
                 ForwardObserver* observer) {
  const Workspace& workspace = context.workspace;
  const MatrixView hidden = workspace.hidden(), attended = workspace.attended();
  // Each hidden state has its own counts.
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
  const size_t block_rows = rows_of_block(plan, batch, observer, context.pool);
  std::optional<SequenceBlocks> split;
  std::span<const RaggedBatch> blocks(&batch, 1);
  if (block_rows < batch.tokens()) blocks = split.emplace(batch, block_rows).all();
  size_t state = 0, attentions = 0;
  const ChangeHeads change_heads = [&](MatrixView heads) { observer->heads(attentions, heads); };
  for (const std::vector<size_t>& layers : plan.layer_schedule) {
    if (state > 0 && plan.positions_at_every_layer) plan.embeddings.add_positions(batch, hidden, context);
    for (const RaggedBatch& block : blocks) {
      const MatrixView x = hidden.row_range(block.first_row, block.tokens());
      const MatrixView below = attended.row_range(block.first_row, block.tokens());
      ExecutionContext block_context = context;
      if (context.coarse_rows != nullptr) block_context.coarse_rows += block.first_row;
      for (const size_t index : layers) {
        WorkControl::check();
        const LayerSpec& layer = plan.layers[index];
        const MatrixView a{below.data, below.rows, layer.attention_output.outs(), below.stride};
        attention_block(layer, block, x, a, block_context, observer == nullptr ? nullptr : &change_heads);
        if (observer != nullptr) observer->attention(attentions++, layer.attention, block_context);
        feed_forward_blocks(layer, a, x, block_context);
      }
    }
    if (state == 0 && plan.convolution) plan.convolution->forward(batch, workspace.input(), hidden, context);
    next_counts();
    const bool is_last = ++state == plan.layer_schedule.size();
    if (is_last && plan.final_norm) plan.final_norm->forward(hidden, hidden, context);
    if (observer != nullptr) observer->hidden_state(state, hidden);
  }
}

}  // namespace bert
