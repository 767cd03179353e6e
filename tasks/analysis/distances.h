// What rotations and windows do by the distance of two tokens. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace bert::analysis {

// The mean of cos(distance * frequency) over the frequencies, for each distance from 0 to `farthest`: the cosine of a
// vector before and after the turn, if all pairs of its components have the same norm. Also the cosine of two
// sinusoidal position vectors.   frequencies: radians a place
std::vector<double> mean_cosines(std::span<const float> frequencies, size_t farthest);

// How many places away a token can be and still influence another one, after each layer: the sum of the windows so far.
// windows: by layer, nullopt where a layer sees everything; so is the reach from that layer on.
std::vector<std::optional<size_t>> reach_by_layer(std::span<const std::optional<size_t>> windows);

}  // namespace bert::analysis
