// Draws a text's tokens, as SVG: the input of an encoder as the sum of its vectors (Devlin et al. 2019, figure 2), and
// two lists of words side by side. Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/drawings/drawing.h"

namespace bert::drawings {

struct SumDrawing {
  std::vector<std::string> tokens;
  std::vector<int32_t> ids;       // rows of the word table   [tokens]
  bool has_positions = true;      // a position vector is added; positions count from 0
  std::vector<int32_t> segments;  // rows of the segment table   [tokens]; empty: no segment vector is added
};

// Draws a column for each token: its word, position and segment row, and their sum.
Picture draw_sum(const SumDrawing& sum);

struct PairDrawing {
  std::string title;  // for screen readers
  std::vector<std::string> left;
  std::vector<std::string> right;
  std::vector<double> values;  // [left, right]
};

// Draws lines between related words. A line is as wide as the pair's share of the largest absolute value, blue above 0,
// orange below; smaller shares than kLeastDrawnShare have no line. Beside each word is the sum of its values.
inline constexpr double kLeastDrawnShare = 0.2;
std::string draw_pairs(const PairDrawing& pairs);

}  // namespace bert::drawings
