// The drawings of the command attention, as SVG. All have one scale of colours, from 0 to `full`, so that equal colours
// are equal weights. Stateless; safe to call from many threads.
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
  std::string id;                 // of its own drawing, in the page
  std::span<const float> values;  // [tokens (query), tokens (key)]
  // What each query gives to tokens that are not drawn.   [tokens (query)]; empty: all are drawn
  std::vector<double> not_shown = {};
};

// Arcs are drawn for weights from here on.
inline constexpr double kMinArcWeight = 0.15;
// The weight of a cell is shown under the pointer from here on: the page of a long text would be too large with all.
inline constexpr double kMinTitledWeight = 0.005;

// A small matrix for each head, a row for each layer; each is a link to the head's own drawing.
Picture draw_attention_overview(const std::vector<HeadWeights>& heads, size_t heads_in_layer,
                                const std::vector<std::string>& tokens, double full);

// One head: a matrix with a row for each query and a column for each key, and to its left arcs from query to key
// (orange to earlier tokens, blue to later ones, green to the token itself). To its right, in percent, what each query
// gives to tokens that are not drawn.
std::string draw_attention_head(const HeadWeights& head, const std::vector<std::string>& tokens, double full);

// The scale of the colours alone.
std::string draw_attention_scale(double full);

}  // namespace bert::drawings
