// One forward pass of a batch, used for every output of a model: checks the sequences, concatenates them without
// padding, borrows a workspace, runs the encoder, with what an intervention changes in it, and rejects NaN or infinity.
// Used by one thread.
#pragma once

#include <span>
#include <vector>

#include "models/encoder/backend.h"
#include "models/encoder/batch.h"
#include "models/encoder/encoder.h"
#include "models/encoder/interventions.h"

namespace bert {

class ForwardPass {
 public:
  // Throws Error for sequences that the encoder cannot take, or the interventions. The arguments must outlive the pass.
  ForwardPass(const EncoderPlan& plan, const ModelConfig& config, Backend& backend,
              std::span<const TokenSequence> sequences, std::span<const Interventions> interventions = {});

  // Before run(): these vectors, as wide as the embedding, in place of the words' of these tokens of the batch. They
  // must outlive the pass.   vectors: [tokens.size(), width]
  void replace_words(std::span<const size_t> tokens, ConstMatrixView vectors);

  // Throws Error(kNonFinite), naming the sequence.
  void run(ForwardObserver* observer = nullptr);

  const EncoderPlan& plan() const { return plan_; }
  const RaggedBatch& batch() const { return view_; }
  ExecutionContext& context() { return lease_.context(); }

  // After run(): the last hidden state, and the rows of one sequence. Valid during the pass's lifetime.
  ConstMatrixView hidden() { return context().workspace.hidden(); }
  ConstMatrixView hidden(size_t sequence) {
    return hidden().row_range(view_.row_starts[sequence], view_.length(sequence));
  }

  // After run(), for a plan with a pooler.   pooled: [sequences, hidden]. Throws Error(kNonFinite).
  void pool(MatrixView pooled);

 private:
  const EncoderPlan& plan_;
  std::span<const Interventions> interventions_;
  Batch batch_;
  RaggedBatch view_;
  std::vector<const float*> word_vectors_;  // of view_
  Backend::Lease lease_;
};

}  // namespace bert
