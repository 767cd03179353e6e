// The drawings of the command attention, as SVG. All have the same colour scale, from 0 to `full`, so that equal
// colours mean equal weights. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "program/drawings/drawing.h"

namespace bert::drawings {

// The weights of one attention head.
struct HeadWeights {
  std::string name;               // for screen readers
  std::string id;                 // element of its own drawing in the page
  std::span<const float> values;  // [tokens (query), tokens (key)]
  // The weight that each query gives to tokens that are not drawn.   [tokens (query)]; empty: all are drawn
  std::vector<double> not_shown = {};
};

// Arcs are drawn only for weights of at least this.
inline constexpr double kMinArcWeight = 0.15;
// A cell's weight is shown under the pointer only from this number on, because the page of a long text would otherwise
// be too large.
inline constexpr double kMinTitledWeight = 0.005;

// Draws a small matrix for each head, with a row for each layer; each matrix links to the head's own drawing.
Picture draw_attention_overview(const std::vector<HeadWeights>& heads, size_t heads_in_layer,
                                const std::vector<std::string>& tokens, double full);

// Draws one head: a matrix with a row for each query and a column for each key; to its left arcs from query to key
// (orange to earlier tokens, blue to later ones, green to the token itself); to its right, in percent, the weight that
// each query gives to tokens that are not drawn.
std::string draw_attention_head(const HeadWeights& head, const std::vector<std::string>& tokens, double full);

// Draws only the colour scale.
std::string draw_attention_scale(double full);

}  // namespace bert::drawings
