#include "engine/layers/neighbours.h"

#include <algorithm>

namespace bert {

void find_neighbours(const RaggedBatch& batch, size_t token, size_t before, std::span<size_t> rows) {
  const auto next = std::upper_bound(batch.row_starts.begin(), batch.row_starts.end(), token);
  const auto begin = batch.places.begin() + static_cast<ptrdiff_t>(*(next - 1));
  const auto end = batch.places.begin() + static_cast<ptrdiff_t>(*next);
  const int32_t first = batch.places[token] - static_cast<int32_t>(before);
  auto found = std::lower_bound(begin, end, first);
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool has_token = found != end && *found == first + static_cast<int32_t>(i);
    rows[i] = has_token ? static_cast<size_t>(found++ - batch.places.begin()) : kNoRow;
  }
}

}  // namespace bert
