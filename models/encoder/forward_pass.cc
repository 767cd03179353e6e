#include "models/encoder/forward_pass.h"

#include <numeric>

#include "models/encoder/finite.h"
#include "models/encoder/packed_weights.h"

namespace bert {

ForwardPass::ForwardPass(const EncoderPlan& plan, const ModelConfig& config, Backend& backend,
                         std::span<const TokenSequence> sequences, std::span<const Interventions> interventions)
    : plan_(plan),
      sequences_(sequences),
      interventions_(interventions),
      batch_(sequences, config),
      view_(batch_.view()),
      lease_(backend, workspace_shape(plan, view_.tokens(), batch_.longest(), batch_.span(), backend.threads())) {
  check_positions(interventions_, view_);
  for (const TokenSequence& sequence : sequences_) {
    if (sequence.coarse_rows_by_layer == nullptr) continue;
    sequence.coarse_rows_by_layer->clear();
    counts_coarse_rows_ = has_8_bit_products(plan_);
  }
}

void ForwardPass::replace_words(std::span<const size_t> tokens, ConstMatrixView vectors) {
  word_vectors_.resize(view_.tokens(), nullptr);
  for (size_t i = 0; i < tokens.size(); ++i) word_vectors_[tokens[i]] = vectors.row(i);
  view_.word_vectors = word_vectors_;
}

void ForwardPass::run(ForwardObserver* observer) {
  if (plan_.packed != nullptr) plan_.packed->check_file(context().pool);
  const PackedWeights::Pass packing(plan_.packed, view_.tokens());
  run_counted(plan_.layer_schedule.size() + 1, view_.row_starts, [&] {
    if (interventions_.empty()) return run_encoder(plan_, view_, context(), observer);
    Intervening intervening(interventions_, plan_.layers.front().attention.heads, view_, observer);
    run_encoder(plan_, view_, context(), &intervening);
  });
  check_finite(view_, hidden(), context().pool);
}

void ForwardPass::run_counted(size_t matrices, std::span<const size_t> row_starts,
                              const std::function<void()>& layers) {
  if (!counts_coarse_rows_) return layers();
  const size_t rows = row_starts.back();
  std::vector<uint32_t> counts(matrices * rows);
  context().coarse_rows = counts.data();
  layers();
  context().coarse_rows = nullptr;
  for (size_t i = 0; i < sequences_.size(); ++i) {
    if (sequences_[i].coarse_rows_by_layer == nullptr) continue;
    for (auto first = counts.begin(); first != counts.end(); first += static_cast<ptrdiff_t>(rows)) {
      sequences_[i].coarse_rows_by_layer->push_back(std::accumulate(
          first + static_cast<ptrdiff_t>(row_starts[i]), first + static_cast<ptrdiff_t>(row_starts[i + 1]), size_t{0}));
    }
  }
}

void ForwardPass::run_layers(std::span<const size_t> rows_of_each, const std::function<void()>& layers) {
  if (!counts_coarse_rows_) return layers();
  std::vector<size_t> row_starts(1);
  for (const size_t rows : rows_of_each) row_starts.push_back(row_starts.back() + rows);
  run_counted(1, row_starts, layers);
}

void ForwardPass::pool(MatrixView pooled) {
  const std::vector<size_t> rows_of_each(view_.sequences(), 1);
  run_layers(rows_of_each, [&] { plan_.pooler->forward(view_, hidden(), pooled, context()); });
  check_pooled_finite(view_, pooled);
}

}  // namespace bert
