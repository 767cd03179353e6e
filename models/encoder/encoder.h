// The encoder as in the paper: embeddings, then the layers. It executes a plan and contains no code for a family; the
// pooler and the heads read its result. Stateless; several threads may run one plan at once, each with its own
// ExecutionContext (workspace).
#pragma once

#include "engine/layers/execution_context.h"
#include "engine/tensor/ragged_batch.h"
#include "models/encoder/plan.h"

namespace bert {

// Observes a forward pass; arguments are valid only during the call.
class ForwardObserver {
 public:
  virtual ~ForwardObserver() = default;
  // Called after the embeddings (index 0) and after each entry of the layer schedule; the last time after the final
  // norm. An observer may change `hidden`, and the following layers continue from it.   hidden: [tokens, hidden]
  virtual void hidden_state(size_t index, MatrixView hidden) = 0;
  // Called with the outputs of a layer's attention heads, [tokens, heads * head_dim], before the layer's product with
  // them; an observer may change them. Layers are counted as in attention().
  virtual void heads(size_t, MatrixView) {}
  // Called after a layer's attention, while attention.probabilities() is valid. Layers of one entry count separately.
  virtual void attention(size_t layer, const SelfAttention& attention, ExecutionContext& context) = 0;
};

// Writes the last hidden state, [tokens, hidden], to context.workspace.hidden(), which is prepared for the batch. If
// context.coarse_rows is not null, coarse rows are counted there, [hidden states, tokens], and it then points past the
// counts. observer: null for none.
void run_encoder(const EncoderPlan& plan, const RaggedBatch& batch, ExecutionContext& context,
                 ForwardObserver* observer);

}  // namespace bert
