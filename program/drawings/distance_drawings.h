// The drawings of the command positions for distances, as SVG. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bert/explore.h"
#include "program/drawings/drawing.h"

namespace bert::drawings {

// The rotations of some layers, or for texts of one length.
struct Rotation {
  std::string name;
  std::vector<size_t> layers;  // from 0; empty: sinusoids, which are added to the embeddings
  double theta = 0;
  std::vector<float> frequencies;  // radians per place, for each pair of components
  std::vector<double> cosines;     // mean over the pairs, by distance from 0
};

// Draws a line for each rotation, at most three.
Picture draw_mean_cosines(const std::vector<Rotation>& rotations);
// Draws the cosine of each pair's angle, by distance.
Picture draw_turns(const Rotation& rotation);
// Draws sinusoids: the sine of each pair for the first places, as a map and as lines of four pairs.
Picture draw_sines(const Rotation& rotation);
Picture draw_waves(const Rotation& rotation);
// Draws the factor of an attention weight for each head, by distance.   longest: tokens of a text
Picture draw_slopes(const std::vector<float>& slopes, size_t longest);
// Draws a row for each head of each part; `values` has one shape in all parts.
Picture draw_bias(const std::vector<ScorePositions>& parts, std::vector<float> DistanceBias::*values);

}  // namespace bert::drawings
