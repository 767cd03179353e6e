#include "models/encoder/forward_pass.h"

#include "models/encoder/finite.h"

namespace bert {

ForwardPass::ForwardPass(const EncoderPlan& plan, const ModelConfig& config, Backend& backend,
                         std::span<const TokenSequence> sequences, std::span<const Interventions> interventions)
    : plan_(plan),
      interventions_(interventions),
      batch_(sequences, config),
      view_(batch_.view()),
      lease_(backend, workspace_shape(plan, view_.tokens(), batch_.longest(), batch_.span(), backend.threads())) {
  check_positions(interventions_, view_);
}

void ForwardPass::replace_words(std::span<const size_t> tokens, ConstMatrixView vectors) {
  word_vectors_.resize(view_.tokens(), nullptr);
  for (size_t i = 0; i < tokens.size(); ++i) word_vectors_[tokens[i]] = vectors.row(i);
  view_.word_vectors = word_vectors_;
}

void ForwardPass::run(ForwardObserver* observer) {
  if (interventions_.empty()) {
    run_encoder(plan_, view_, context(), observer);
  } else {
    Intervening intervening(interventions_, plan_.layers.front().attention.heads, view_, observer);
    run_encoder(plan_, view_, context(), &intervening);
  }
  check_finite(view_, hidden(), context().pool);
}

void ForwardPass::pool(MatrixView pooled) {
  plan_.pooler->forward(view_, hidden(), pooled, context());
  check_pooled_finite(view_, pooled);
}

}  // namespace bert
