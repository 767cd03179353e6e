// Draws two lists of words side by side, with lines between related words. Stateless.
#pragma once

#include <string>
#include <vector>

namespace bert::drawings {

struct PairDrawing {
  std::string title;  // for screen readers
  std::vector<std::string> left;
  std::vector<std::string> right;
  std::vector<double> values;  // [left, right]
};

// A line is as wide as the pair's share of the largest absolute value, blue above 0, orange below; smaller shares than
// kLeastDrawnShare have no line. Beside each word is the sum of its values.
inline constexpr double kLeastDrawnShare = 0.2;
std::string draw_pairs(const PairDrawing& pairs);

}  // namespace bert::drawings
