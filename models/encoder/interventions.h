// Applies an experiment's changes to a forward pass: outputs of attention heads, vectors of tokens after a layer.
#pragma once

#include <cstddef>
#include <span>

#include "bert/interventions.h"
#include "models/encoder/encoder.h"

namespace bert {

// Throws Error(kInvalidArgument) for a layer, a head or a vector that a model of this configuration does not have.
void check_interventions(const Interventions& interventions, const ModelConfig& config);
// Throws Error(kInvalidArgument) for a sequence that lacks the token of a patch.
void check_positions(std::span<const Interventions> interventions, const RaggedBatch& batch);

// Makes the changes, in order, and then passes the pass's events to `next`. A view of its arguments.
class Intervening final : public ForwardObserver {
 public:
  // heads: number in a layer;  next: null: none.
  Intervening(std::span<const Interventions> interventions, size_t heads, const RaggedBatch& batch,
              ForwardObserver* next)
      : interventions_(interventions), heads_(heads), batch_(batch), next_(next) {}

  void hidden_state(size_t index, MatrixView hidden) override;
  void heads(size_t layer, MatrixView heads) override;
  void attention(size_t layer, const SelfAttention& attention, ExecutionContext& context) override;

 private:
  // Replaces the outputs of one head: `size` columns, starting at `first`.
  void ablate(MatrixView heads, size_t first, size_t size, Ablation ablation) const;

  const std::span<const Interventions> interventions_;
  const size_t heads_;
  const RaggedBatch& batch_;
  ForwardObserver* const next_;
};

}  // namespace bert
