// One forward pass of a batch, used for every output of a model: checks the sequences, concatenates them without
// padding, borrows a workspace, runs the encoder with the changes of interventions, and rejects NaN or infinity. Used
// by one thread.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "models/encoder/backend.h"
#include "models/encoder/batch.h"
#include "models/encoder/encoder.h"
#include "models/encoder/interventions.h"

namespace bert {

class ForwardPass {
 public:
  // Throws Error for sequences that the encoder or the interventions reject. The arguments must outlive the pass.
  ForwardPass(const EncoderPlan& plan, const ModelConfig& config, Backend& backend,
              std::span<const TokenSequence> sequences, std::span<const Interventions> interventions = {});

  // Replaces the word vectors of these tokens of the batch; call it before run(). The vectors are as wide as the
  // embedding and must outlive the pass.   vectors: [tokens.size(), width]
  void replace_words(std::span<const size_t> tokens, ConstMatrixView vectors);

  // Throws Error(kNonFinite), which names the sequence.
  void run(ForwardObserver* observer = nullptr);

  const EncoderPlan& plan() const { return plan_; }
  const RaggedBatch& batch() const { return view_; }
  ExecutionContext& context() { return lease_.context(); }

  // Return, after run(), the last hidden state, or the rows of one sequence. Valid during the pass's lifetime.
  ConstMatrixView hidden() { return context().workspace.hidden(); }
  ConstMatrixView hidden(size_t sequence) {
    return hidden().row_range(view_.row_starts[sequence], view_.length(sequence));
  }

  // Computes, after run(), layers of the plan whose products have this many rows for each sequence, one sequence after
  // another, and counts their coarse rows.
  void run_layers(std::span<const size_t> rows_of_each, const std::function<void()>& layers);

  // Computes, after run(), the pooled output, for a plan with a pooler.   pooled: [sequences, hidden]. Throws
  // Error(kNonFinite).
  void pool(MatrixView pooled);

 private:
  // Runs `layers` and appends, for each sequence that asked, one count of coarse rows per matrix. row_starts: the
  // products' rows of sequence i are row_starts[i] to row_starts[i + 1].
  void run_counted(size_t matrices, std::span<const size_t> row_starts, const std::function<void()>& layers);

  const EncoderPlan& plan_;
  std::span<const TokenSequence> sequences_;
  std::span<const Interventions> interventions_;
  Batch batch_;
  RaggedBatch view_;
  std::vector<const float*> word_vectors_;  // for view_
  Backend::Lease lease_;
  bool counts_coarse_rows_ = false;  // a sequence asks for the coarse rows of 8-bit weights
};

}  // namespace bert
