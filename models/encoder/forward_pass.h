// One forward pass of a batch, used for every output of a model: checks the sequences, concatenates them without
// padding, borrows a workspace, runs the encoder, with what an intervention changes in it, and rejects NaN or infinity.
// Used by one thread.
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

  // After run(): computes layers of the plan whose products have so many rows for each sequence, one after another, so
  // that their coarse rows are counted.
  void run_layers(std::span<const size_t> rows_of_each, const std::function<void()>& layers);

  // After run(), for a plan with a pooler.   pooled: [sequences, hidden]. Throws Error(kNonFinite).
  void pool(MatrixView pooled);

 private:
  // Runs layers whose products have these rows, those of sequence i from row_starts[i] to row_starts[i + 1], and which
  // count the coarse ones in so many matrices of counts. Each is an entry for the sequences that ask for it.
  void run_counted(size_t matrices, std::span<const size_t> row_starts, const std::function<void()>& layers);

  const EncoderPlan& plan_;
  std::span<const TokenSequence> sequences_;
  std::span<const Interventions> interventions_;
  Batch batch_;
  RaggedBatch view_;
  std::vector<const float*> word_vectors_;  // of view_
  Backend::Lease lease_;
  bool counts_coarse_rows_ = false;  // of 8-bit weights, for a sequence that asks for them
};

}  // namespace bert
