// The neighbours of a token in its text, for convolutions. Stateless.
#pragma once

#include <cstddef>
#include <span>

#include "engine/tensor/ragged_batch.h"

namespace bert {

inline constexpr size_t kNoRow = static_cast<size_t>(-1);

// Sets the rows of consecutive places, the first of them `before` places before the token's; kNoRow where the text has
// no token or a masked one.
void find_neighbours(const RaggedBatch& batch, size_t token, size_t before, std::span<size_t> rows);

}  // namespace bert
