#include "program/drawings/sum_drawing.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

Picture draw_sum(const SumDrawing& sum) { return {sum_drawing(sum, kChartWidth), sum_drawing(sum, kNarrowWidth)}; }

}  // namespace bert::drawings
