// The drawings of the command positions about distances, as SVG. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bert/explore.h"
#include "program/drawings/drawing.h"

namespace bert::drawings {

// The turns of some layers, or of texts of one length.
struct Rotation {
  std::string name;
  std::vector<size_t> layers;  // from 0; empty: sinusoids, which are added to the embeddings
  double theta = 0;
  std::vector<float> frequencies;  // radians a place, by pair of components
  std::vector<double> cosines;     // their mean, by distance from 0 on
};

// A line for each rotation, at most three.
Picture draw_mean_cosines(const std::vector<Rotation>& rotations);
// The cosine of each pair's turn, by distance.
Picture draw_turns(const Rotation& rotation);
// Sinusoids: the sine of each pair for the first places, as a map and as lines of four pairs.
Picture draw_sines(const Rotation& rotation);
Picture draw_waves(const Rotation& rotation);
// What an attention weight is multiplied by, for each head, by distance.   longest: tokens of a text
Picture draw_slopes(const std::vector<float>& slopes, size_t longest);
// A row for each head of each part; all parts have `values` of one shape.
Picture draw_bias(const std::vector<ScorePositions>& parts, std::vector<float> DistanceBias::*values);

}  // namespace bert::drawings
