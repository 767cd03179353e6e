// The encoder as in the paper: embeddings, then the layers. It executes a plan and contains no code for a family; the
// pooler and the heads read its result. Stateless; several threads may run one plan at once, each with its own
// ExecutionContext (workspace).
#pragma once

#include "engine/layers/execution_context.h"
#include "engine/tensor/ragged_batch.h"
#include "models/encoder/plan.h"

namespace bert {

// Observes a forward pass; the arguments are valid during the call only.
class ForwardObserver {
 public:
  virtual ~ForwardObserver() = default;
  // After the embeddings (index 0) and after each entry of the layer schedule; the last one after the final norm.
  // An observer may replace it: the following layers then continue from what it wrote.   hidden: [tokens, hidden]
  virtual void hidden_state(size_t index, MatrixView hidden) = 0;
  // The outputs of a layer's attention heads, [tokens, heads * head_dim], before the layer's product with them; an
  // observer may replace them. Layers as in attention().
  virtual void heads(size_t, MatrixView) {}
  // After a layer's attention, while attention.probabilities() is valid. Layers of one entry are counted separately.
  virtual void attention(size_t layer, const SelfAttention& attention, ExecutionContext& context) = 0;
};

// Writes the last hidden state, [tokens, hidden], to context.workspace.hidden(), prepared for the batch. Coarse rows
// are counted in context.coarse_rows, [hidden states, tokens], if that is not null; it then points behind them.
void run_encoder(const EncoderPlan& plan, const RaggedBatch& batch, ExecutionContext& context,
                 ForwardObserver* observer = nullptr);

}  // namespace bert
