// The encoder as the paper draws it: embeddings, then the layers, then maybe the pooler. It executes a plan and knows
// no family. Stateless; several threads may run one plan at once, each with an ExecutionContext (workspace) of its own.
#pragma once

#include "engine/layers/execution_context.h"
#include "engine/tensor/ragged_batch.h"
#include "models/plan.h"

namespace bert {

// Sees a forward pass from inside; what is shown is valid during the call only.
class ForwardObserver {
 public:
  virtual ~ForwardObserver() = default;
  // After the embeddings (index 0) and after each entry of the layer schedule.   hidden: [tokens, hidden]
  virtual void hidden_state(size_t index, ConstMatrixView hidden) = 0;
  // After a layer's attention, while attention.probabilities() can be asked. Layers of one entry are counted apart.
  virtual void attention(size_t layer, const SelfAttention& attention, ExecutionContext& context) = 0;
};

// The scratch memory that a pass needs. longest: tokens of the longest sequence; span: the most places from a
// sequence's first token to its last.
WorkspaceShape workspace_shape(const EncoderPlan& plan, size_t tokens, size_t longest, size_t span, size_t threads);

// Leaves the last hidden state, [tokens, hidden], in context.workspace.hidden(), which was prepared for the batch.
void run_encoder(const EncoderPlan& plan, const RaggedBatch& batch, ExecutionContext& context,
                 ForwardObserver* observer = nullptr);

}  // namespace bert
