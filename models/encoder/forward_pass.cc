#include "models/encoder/forward_pass.h"

#include "models/encoder/finite.h"

namespace bert {

ForwardPass::ForwardPass(const EncoderPlan& plan, const ModelConfig& config, Backend& backend,
                         std::span<const TokenSequence> sequences)
    : plan_(plan),
      batch_(sequences, config),
      view_(batch_.view()),
      lease_(backend, workspace_shape(plan, view_.tokens(), batch_.longest(), batch_.span(), backend.threads())) {}

void ForwardPass::run(ForwardObserver* observer) {
  run_encoder(plan_, view_, context(), observer);
  check_finite(view_, hidden(), context().pool);
}

void ForwardPass::pool(MatrixView pooled) {
  plan_.pooler->forward(view_, hidden(), pooled, context());
  check_pooled_finite(view_, pooled);
}

}  // namespace bert
