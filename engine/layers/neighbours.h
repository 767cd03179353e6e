// The neighbours of a token in its text, for convolutions. Stateless.
#pragma once

#include <cstddef>
#include <span>

#include "engine/tensor/ragged_batch.h"

namespace bert {

inline constexpr size_t kNoRow = static_cast<size_t>(-1);

// Finds the rows of the tokens around a token, with its own row in the middle; kNoRow where the text has no token or a
// masked one. rows: an odd number.
void find_neighbours(const RaggedBatch& batch, size_t token, std::span<size_t> rows);

}  // namespace bert
