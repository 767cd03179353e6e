// The effect of rotations and windows by the distance of two tokens. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace bert::analysis {

// Returns the mean of cos(distance * frequency) over the frequencies, for each distance from 0 to `farthest`. This is
// the cosine of a vector before and after the rotation, if all pairs of its components have the same norm, and the
// cosine of two sinusoidal position vectors.   frequencies: radians per place
std::vector<double> mean_cosines(std::span<const float> frequencies, size_t farthest);

// Returns, after each layer, how many places away a token can be and still influence another token: the sum of the
// windows so far. windows: by layer; nullopt if a layer sees everything, and the reach is nullopt from that layer on.
std::vector<std::optional<size_t>> reach_by_layer(std::span<const std::optional<size_t>> windows);

}  // namespace bert::analysis
