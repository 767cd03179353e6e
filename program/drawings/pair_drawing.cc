#include "program/drawings/pair_drawing.h"

#include <algorithm>
#include <cmath>

#include "program/common/table.h"
#include "program/drawings/drawing.h"

namespace bert::drawings {
namespace {

constexpr size_t kWordColumns = 24;
constexpr double kWidestLine = 14;
constexpr double kStep = 26;   // from one word to the next
constexpr double kRoom = 360;  // room for the lines
constexpr int kSumDecimals = 3;

// One list: its labels, the sums beside them, and the places of its words.
struct Side {
  std::vector<std::string> labels, sums;
  double width = 0, top = 0;

  double middle(size_t word) const { return top + kStep * (static_cast<double>(word) + 0.5); }
};

Side make_side(const std::vector<std::string>& words, const std::vector<double>& sums) {
  Side side;
  for (size_t i = 0; i < words.size(); ++i) {
    side.labels.push_back(label_of(words[i], kWordColumns));
    side.sums.push_back(common::fixed(sums[i], kSumDecimals));
    side.width = std::max(side.width, text_width(side.labels[i]));
  }
  return side;
}

}  // namespace

std::string draw_pairs(const PairDrawing& pairs) {
  const size_t rows = pairs.left.size(), columns = pairs.right.size();
  std::vector<double> of_left(rows), of_right(columns);
  double most = 0;
  for (size_t i = 0; i < pairs.values.size(); ++i) {
    of_left[i / columns] += pairs.values[i];
    of_right[i % columns] += pairs.values[i];
    most = std::max(most, std::abs(pairs.values[i]));
  }
  Side left = make_side(pairs.left, of_left), right = make_side(pairs.right, of_right);
  const double height = kStep * static_cast<double>(std::max(rows, columns));
  left.top = (height - kStep * static_cast<double>(rows)) / 2;
  right.top = (height - kStep * static_cast<double>(columns)) / 2;
  const double sums = text_width("-0.000");
  const double begin = left.width + kGap + sums + kGap, end = begin + kRoom;
  Drawing drawing(end + kGap + sums + kGap + right.width, height + 2, pairs.title);
  std::vector<size_t> drawn;
  for (size_t i = 0; i < pairs.values.size(); ++i) {
    if (most > 0 && std::abs(pairs.values[i]) >= kLeastDrawnShare * most) drawn.push_back(i);
  }
  // Thick lines first, so that they do not cover thin ones.
  std::stable_sort(drawn.begin(), drawn.end(),
                   [&](size_t a, size_t b) { return std::abs(pairs.values[a]) > std::abs(pairs.values[b]); });
  for (const size_t i : drawn) {
    const double from = left.middle(i / columns), to = right.middle(i % columns);
    const double share = std::abs(pairs.values[i]) / most, half = kRoom / 2;
    drawing.stroke(
        "M" + coordinate(begin) + " " + coordinate(from) + "C" + coordinate(begin + half) + " " + coordinate(from) +
            " " + coordinate(end - half) + " " + coordinate(to) + " " + coordinate(end) + " " + coordinate(to),
        pairs.values[i] < 0 ? Ink::kOrange : Ink::kBlue, std::max(0.5, kWidestLine * share), 0.35 + 0.45 * share);
  }
  for (size_t i = 0; i < rows; ++i) {
    drawing.text(left.width, left.middle(i) + 5, left.labels[i], Anchor::kEnd);
    drawing.text(begin - kGap, left.middle(i) + 5, left.sums[i], Anchor::kEnd, Ink::kGrey);
  }
  for (size_t i = 0; i < columns; ++i) {
    drawing.text(end + kGap + sums, right.middle(i) + 5, right.sums[i], Anchor::kEnd, Ink::kGrey);
    drawing.text(end + kGap + sums + kGap, right.middle(i) + 5, right.labels[i]);
  }
  return drawing.svg();
}

}  // namespace bert::drawings
