// Whether 8 bits hardly hold a row of activations (docs/NUMERICS.md, "Coarse rows"): one number is so large that the
// others are smaller than one step of the row's integers. Stateless.
#pragma once

#include <cstddef>
#include <span>

namespace bert {

// A row is coarse if it has so many numbers that are not 0 and smaller than a step for each number that is not.
inline constexpr size_t kCoarseLostPerHeld = 63;

// step: the row's scale; a NaN is of a row that is not finite, which is not coarse.
bool is_coarse(std::span<const float> row, float step);

}  // namespace bert
