#include "models/encoder/finite.h"

#include <atomic>
#include <cstdint>

#include "bert/error.h"
#include "engine/base/bit_cast.h"

namespace bert {

bool all_finite(std::span<const float> values) {
  constexpr uint32_t kExponent = 0x7F800000;  // all ones for a NaN or an infinity
  uint32_t found = 0;
  for (const float value : values) found |= (bit_cast<uint32_t>(value) & kExponent) == kExponent ? 1u : 0u;
  return found == 0;
}

void refuse_not_finite(const RaggedBatch& batch, size_t sequence, const std::string& what) {
  const std::string where = batch.sequences() == 1 ? "" : "sequence " + std::to_string(sequence) + ": ";
  throw Error(ErrorCode::kNonFinite, where + "a NaN or an infinity in " + what + ", expected finite numbers");
}

void check_finite(const RaggedBatch& batch, ConstMatrixView hidden, ThreadPool& pool) {
  std::atomic<bool> is_finite{true};
  pool.run_rows(hidden.rows, [&](size_t first, size_t rows) {
    for (size_t row = first; row < first + rows; ++row) {
      if (!all_finite({hidden.row(row), hidden.cols})) is_finite = false;
    }
  });
  if (is_finite) return;
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
