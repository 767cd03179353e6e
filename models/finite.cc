#include "models/finite.h"

#include "bert/error.h"

namespace bert {

bool all_finite(std::span<const float> values) {
  // Zero times a value is 0 or NaN; a sum of absolute values could overflow for large finite values.
  float sum = 0;
  for (const float value : values) sum += value * 0.0f;
  return sum == 0.0f;
}

void refuse_not_finite(const RaggedBatch& batch, size_t sequence, const std::string& what) {
  const std::string where = batch.sequences() == 1 ? "" : "sequence " + std::to_string(sequence) + ": ";
  throw Error(ErrorCode::kNonFinite, where + "a NaN or an infinity in " + what + ", expected finite numbers");
}

void check_finite(const RaggedBatch& batch, ConstMatrixView hidden) {
  for (size_t sequence = 0; sequence < batch.sequences(); ++sequence) {
    for (size_t token = batch.row_starts[sequence]; token < batch.row_starts[sequence + 1]; ++token) {
      if (all_finite({hidden.row(token), hidden.cols})) continue;
      refuse_not_finite(batch, sequence,
                        "the output for token " + std::to_string(batch.places[token]) + " (id " +
                            std::to_string(batch.ids[token]) + ")");
    }
  }
}

void check_pooled_finite(const RaggedBatch& batch, ConstMatrixView pooled) {
  for (size_t sequence = 0; sequence < batch.sequences(); ++sequence) {
    if (!all_finite({pooled.row(sequence), pooled.cols})) refuse_not_finite(batch, sequence, "the pooled output");
  }
}

}  // namespace bert
