// Detects rows of activations that 8 bits represent poorly (docs/NUMERICS.md, "Coarse rows"): one number is so large
// that the others are smaller than one step of the row's integers. Stateless.
#pragma once

#include <cstddef>
#include <span>

namespace bert {

// Returns whether a row is coarse. step: the row's scale; NaN for a row that is not finite, which is never coarse.
bool is_coarse(std::span<const float> row, float step);

}  // namespace bert
