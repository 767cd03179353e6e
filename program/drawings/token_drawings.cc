#include "program/drawings/token_drawings.h"

#include <algorithm>
#include <cmath>

#include "program/common/table.h"
#include "program/drawings/drawing.h"

namespace bert::drawings {
namespace {

constexpr size_t kBoxColumns = 12;
constexpr double kBox = 26, kSign = 20;  // heights of a row of boxes, and of the signs below it

// A row of boxes.
struct Row {
  const char* name;
  Ink ink;
  std::vector<std::string> texts;
  const char* sign;  // below each box
};

std::vector<Row> rows_of(const SumDrawing& sum) {
  const size_t count = sum.tokens.size();
  std::vector<Row> rows = {{"word", Ink::kBlue, {}, "="}};
  for (const int32_t id : sum.ids) rows.back().texts.push_back(std::to_string(id));
  const auto add = [&](Row row) {
    rows.back().sign = "+";
    rows.push_back(std::move(row));
  };
  if (sum.has_positions) {
    Row row{"position", Ink::kOrange, {}, "="};
    for (size_t place = 0; place < count; ++place) row.texts.push_back(std::to_string(place));
    add(std::move(row));
  }
  if (!sum.segments.empty()) {
    Row row{"segment", Ink::kGreen, {}, "="};
    for (const int32_t segment : sum.segments) row.texts.push_back(segment == 0 ? "A" : segment == 1 ? "B" : "?");
    add(std::move(row));
  }
  rows.push_back({"sum", Ink::kGrey, std::vector<std::string>(count, ""), ""});
  return rows;
}

std::string sum_drawing(const SumDrawing& sum, double width) {
  const std::vector<Row> rows = rows_of(sum);
  std::vector<std::string> labels;
  double widest = 0;
  for (const std::string& token : sum.tokens) {
    labels.push_back(label_of(token, kBoxColumns));
    widest = std::max(widest, text_width(labels.back()));
  }
  for (const Row& row : rows) {
    for (const std::string& text : row.texts) widest = std::max(widest, text_width(text));
  }
  const double left = text_width("position") + kGap, cell = std::ceil(widest + 2 * kGap);
  const auto in_block = static_cast<size_t>(std::max(1.0, std::floor((width - left) / cell)));
  const size_t blocks = (labels.size() + in_block - 1) / in_block;
  const double block = kLineHeight + 6 + static_cast<double>(rows.size()) * (kBox + kSign);
  Drawing drawing(left + cell * static_cast<double>(std::min(in_block, labels.size())),
                  block * static_cast<double>(blocks) - kSign + 2,
                  "The vectors that are added for each token: its word's, its position's and its segment's");
  for (size_t first = 0; first < labels.size(); first += in_block) {
    const double begin = block * static_cast<double>(first / in_block);
    for (size_t t = first; t < std::min(first + in_block, labels.size()); ++t) {
      const double x = left + cell * static_cast<double>(t - first), middle = x + cell / 2;
      drawing.text(middle, begin + kLineHeight - 4, labels[t], Anchor::kMiddle);
      double y = begin + kLineHeight + 2;
      for (const Row& row : rows) {
        if (t == first) drawing.text(left - kGap, y + kBox / 2 + 5, row.name, Anchor::kEnd, Ink::kGrey);
        drawing.rect(x + 3, y, cell - 6, kBox, row.ink, 0.3);
        if (!row.texts[t].empty()) drawing.text(middle, y + kBox / 2 + 5, row.texts[t], Anchor::kMiddle);
        if (*row.sign != '\0') {
          drawing.text(middle, y + kBox + kSign / 2 + 5, row.sign, Anchor::kMiddle, Ink::kGrey);
        }
        y += kBox + kSign;
      }
    }
  }
  return drawing.svg();
}

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

Picture draw_sum(const SumDrawing& sum) { return {sum_drawing(sum, kChartWidth), sum_drawing(sum, kNarrowWidth)}; }

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
