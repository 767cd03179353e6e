#include "models/encoder/interventions.h"

#include <algorithm>
#include <string>

#include "models/encoder/finite.h"

namespace bert {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

// Returns the row of the sequence's token at this position; batch.tokens(): there is none.
size_t row_at(const RaggedBatch& batch, size_t sequence, size_t position) {
  const auto begin = batch.places.begin();
  const auto first = begin + static_cast<std::ptrdiff_t>(batch.row_starts[sequence]);
  const auto last = begin + static_cast<std::ptrdiff_t>(batch.row_starts[sequence + 1]);
  const auto found = std::lower_bound(first, last, static_cast<int32_t>(position));
  const bool has_it = found != last && *found == static_cast<int32_t>(position);
  return has_it ? static_cast<size_t>(found - begin) : batch.tokens();
}

// Replaces the rows' numbers in each column by the column's mean over the rows, in float64.
void replace_by_mean(MatrixView rows, size_t first, size_t count) {
  for (size_t c = first; c < first + count; ++c) {
    double sum = 0;
    for (size_t row = 0; row < rows.rows; ++row) sum += static_cast<double>(rows.row(row)[c]);
    const auto mean = static_cast<float>(sum / static_cast<double>(rows.rows));
    for (size_t row = 0; row < rows.rows; ++row) rows.row(row)[c] = mean;
  }
}

void check_position(const Patch& patch, const RaggedBatch& batch) {
  for (size_t i = 0; i < batch.sequences(); ++i) {
    if (row_at(batch, i, patch.position) < batch.tokens()) continue;
    refuse((batch.sequences() == 1 ? "" : "sequence " + std::to_string(i) + ": ") + "a patch of token " +
           std::to_string(patch.position) + ", expected one of its " + std::to_string(batch.length(i)) +
           " tokens, counted from 0");
  }
}

}  // namespace

void check_interventions(const Interventions& interventions, const ModelConfig& config) {
  const size_t layers = config.attention_layers(), heads = config.num_attention_heads;
  for (const HeadChoice& choice : interventions.heads) {
    if (choice.layer < layers && choice.head < heads) {
      if (!config.short_convolution || !config.short_convolution->layers[choice.layer]) continue;
      throw Error(ErrorCode::kUnsupported, "head " + std::to_string(choice.layer) + "." + std::to_string(choice.head) +
                                               " is not supported, expected a layer with attention: this one has a "
                                               "convolution");
    }
    // The model has at least one of both, else intervene() refuses it.
    refuse("head " + std::to_string(choice.layer) + "." + std::to_string(choice.head) +
           ", expected a layer from 0 to " + std::to_string(layers - 1) + " and a head from 0 to " +
           std::to_string(heads - 1));
  }
  for (const Patch& patch : interventions.patches) {
    if (patch.layer > config.num_hidden_layers) {
      refuse("a patch after layer " + std::to_string(patch.layer) + ", expected 0 (the embeddings) to " +
             std::to_string(config.num_hidden_layers));
    }
    if (patch.vector.size() != config.hidden_size) {
      refuse("a patch of " + std::to_string(patch.vector.size()) + " numbers, expected " +
             std::to_string(config.hidden_size));
    }
    if (!all_finite(patch.vector)) refuse("a patch with a NaN or an infinity, expected finite numbers");
  }
}

void check_positions(std::span<const Interventions> interventions, const RaggedBatch& batch) {
  for (const Interventions& each : interventions) {
    for (const Patch& patch : each.patches) check_position(patch, batch);
  }
}

void Intervening::hidden_state(size_t index, MatrixView hidden) {
  for (const Interventions& each : interventions_) {
    for (const Patch& patch : each.patches) {
      if (patch.layer != index) continue;
      for (size_t i = 0; i < batch_.sequences(); ++i) {
        std::copy(patch.vector.begin(), patch.vector.end(), hidden.row(row_at(batch_, i, patch.position)));
      }
    }
  }
  if (next_ != nullptr) next_->hidden_state(index, hidden);
}

void Intervening::heads(size_t layer, MatrixView heads) {
  const size_t size = heads.cols / heads_;
  for (const Interventions& each : interventions_) {
    for (const HeadChoice& choice : each.heads) {
      if (choice.layer == layer) ablate(heads, choice.head * size, size, each.ablation);
    }
  }
  if (next_ != nullptr) next_->heads(layer, heads);
}

void Intervening::ablate(MatrixView heads, size_t first, size_t size, Ablation ablation) const {
  if (ablation == Ablation::kZero) {
    for (size_t row = 0; row < heads.rows; ++row) std::fill_n(heads.row(row) + first, size, 0.0f);
    return;
  }
  for (size_t i = 0; i < batch_.sequences(); ++i) {
    replace_by_mean(heads.row_range(batch_.row_starts[i], batch_.length(i)), first, size);
  }
}

void Intervening::attention(size_t layer, const SelfAttention& attention, ExecutionContext& context) {
  if (next_ != nullptr) next_->attention(layer, attention, context);
}

}  // namespace bert
