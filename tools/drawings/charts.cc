#include "tools/drawings/charts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include "tools/common/table.h"

namespace bert::drawings {
namespace {

constexpr size_t kLabelColumns = 18;

double max_width(const std::vector<std::string>& labels) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, text_width(label));
  return width;
}

// A round number near `highest` / `count`.
double round_step(double highest, double count) {
  const double rough = highest / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<size_t> doubling_distances(size_t farthest) {
  std::vector<size_t> result;
  for (size_t distance = 1; distance <= farthest; distance *= 2) result.push_back(distance);
  return result;
}

std::vector<std::string> counted(size_t first, size_t count) {
  std::vector<std::string> numbers;
  for (size_t i = 0; i < count; ++i) numbers.push_back(std::to_string(first + i));
  return numbers;
}

std::string draw_heatmap(const Heatmap& map) {
  const auto [lowest, highest] = std::minmax_element(map.values.begin(), map.values.end());
  const double range = std::max(1e-12, *highest - *lowest);
  std::vector<std::string> labels;
  for (const std::string& row : map.rows) labels.push_back(label_of(row, kLabelColumns));
  std::vector<std::string> numbers;
  for (const double value : map.values) numbers.push_back(common::fixed(value, map.decimals));
  const double high = kLineHeight + 4;
  const double left = std::max(max_width(labels), text_width(map.rows_are)) + kGap;
  const double cell = std::max(std::max(max_width(numbers), max_width(map.columns)) + kGap,
                               std::floor((kChartWidth - left) / static_cast<double>(map.columns.size())));
  const double top = 2 * kLineHeight + 4;
  const auto columns = static_cast<double>(map.columns.size());
  const double width = left + std::max(cell * columns, text_width(map.columns_are));
  Drawing drawing(width, top + high * static_cast<double>(map.rows.size()), map.title);
  drawing.text(left, kLineHeight - 4, map.columns_are, Anchor::kStart, Ink::kGrey);
  drawing.text(0, 2 * kLineHeight - 2, map.rows_are, Anchor::kStart, Ink::kGrey);
  for (size_t c = 0; c < map.columns.size(); ++c) {
    drawing.text(left + cell * (static_cast<double>(c) + 0.5), 2 * kLineHeight - 2, map.columns[c], Anchor::kMiddle,
                 Ink::kGrey);
  }
  for (size_t r = 0; r < map.rows.size(); ++r) {
    const double y = top + high * static_cast<double>(r);
    drawing.text(left - kGap, y + kLineHeight - 2, labels[r], Anchor::kEnd);
    for (size_t c = 0; c < map.columns.size(); ++c) {
      const size_t at = r * map.columns.size() + c;
      const double x = left + cell * static_cast<double>(c);
      // Pale enough for the number on it.
      drawing.rect(x + 1, y + 1, cell - 2, high - 2, Ink::kBlue, 0.04 + 0.46 * (map.values[at] - *lowest) / range);
      drawing.text(x + cell / 2, y + kLineHeight - 2, numbers[at], Anchor::kMiddle);
    }
  }
  return drawing.svg();
}

std::string draw_matrix(const MatrixChart& chart) {
  const size_t rows = chart.values.size() / chart.columns;
  const bool is_named = !chart.rows.empty();
  std::vector<std::string> labels;
  for (const std::string& row : chart.rows) labels.push_back(label_of(row, kLabelColumns));
  // Whole pixels, so that no seams show. Without names it is a square.
  const size_t wanted = is_named ? 832 : 512;
  const size_t cell = std::max<size_t>(1, (wanted + chart.columns / 2) / chart.columns);
  const size_t high = is_named ? static_cast<size_t>(kLineHeight) : cell;
  const auto width = static_cast<double>(cell * chart.columns), height = static_cast<double>(high * rows);
  const double left =
      (is_named ? std::max(max_width(labels), text_width(chart.rows_are)) : text_width(std::to_string(rows))) + kGap;
  const double top = 2 * kLineHeight;
  // More room on the right, for the last number over its column.
  Drawing drawing(left + std::max({width, text_width(chart.columns_are), kColorScaleWidth}) + text_width("0000"),
                  top + height + 3 * kLineHeight, chart.title);
  drawing.text(left, kLineHeight - 4, chart.columns_are, Anchor::kStart, Ink::kGrey);
  if (is_named) drawing.text(0, top - 4, chart.rows_are, Anchor::kStart, Ink::kGrey);
  const auto step = static_cast<ptrdiff_t>(std::max(1.0, round_step(static_cast<double>(chart.columns), 8)));
  for (ptrdiff_t column = 0; column < static_cast<ptrdiff_t>(chart.columns); ++column) {
    const ptrdiff_t tick = chart.first_column + column;
    if (tick % step != 0) continue;
    const double at = (static_cast<double>(column) + 0.5) * static_cast<double>(cell);
    drawing.text(left + at, top - 4, std::to_string(tick), Anchor::kMiddle, Ink::kGrey);
  }
  for (size_t row = 0; row < rows; row += is_named ? 1 : static_cast<size_t>(step)) {
    const double at = top + (static_cast<double>(row) + 0.5) * static_cast<double>(high) + 4;
    drawing.text(left - kGap / 2, at, is_named ? labels[row] : std::to_string(row), Anchor::kEnd, Ink::kGrey);
  }
  const bool has_negative = *std::min_element(chart.values.begin(), chart.values.end()) < 0;
  for (const auto& [ink, sign] : {std::pair{Ink::kBlue, 1.0}, {Ink::kOrange, -1.0}}) {
    if (sign < 0 && !has_negative) continue;
    std::vector<uint8_t> shades;
    for (size_t y = 0; y < high * rows; ++y) {
      for (size_t x = 0; x < cell * chart.columns; ++x) {
        const double value = sign * chart.values[y / high * chart.columns + x / cell] / chart.full;
        shades.push_back(static_cast<uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0))));
      }
    }
    drawing.picture({left, top, width, height}, shades, cell * chart.columns, ink);
  }
  draw_color_scale(drawing, left, top + height + kLineHeight, has_negative ? -chart.full : 0, chart.full);
  return drawing.svg();
}

std::string draw_line_chart(const LineChart& chart) {
  size_t points = 2;
  double highest = 1e-12, lowest = 0;
  std::vector<std::string> names;
  for (const LineChart::Line& line : chart.lines) {
    points = std::max(points, line.values.size());
    names.push_back(line.name);
    for (const double value : line.values) {
      highest = std::max(highest, value);
      lowest = std::min(lowest, value);
    }
  }
  const double step = round_step(highest - lowest, 5);
  const double y_min = std::floor(lowest / step + 1e-9) * step;
  const double y_max = std::ceil(highest / step - 1e-9) * step;
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  const auto y_text = [&](double value) {
    if (std::abs(value) < step / 2) value = 0;
    return chart.percent ? common::fixed(100 * value, 0) + " %" : common::fixed(value, decimals);
  };
  const double left = std::max(text_width(y_text(y_max)), text_width(y_text(y_min))) + kGap;
  const double plot_width = kChartWidth - left - kGap - max_width(names) - 2, plot_height = 320;
  const double top = kLineHeight + kGap;
  const auto y_of = [&](double value) { return top + plot_height * (y_max - value) / (y_max - y_min); };
  const size_t first = chart.log_x ? 1 : 0;
  const auto x_of = [&](size_t x) {
    const double share = chart.log_x ? std::log(static_cast<double>(x)) / std::log(static_cast<double>(points - 1))
                                     : static_cast<double>(x) / static_cast<double>(points - 1);
    return left + plot_width * share;
  };
  Drawing drawing(left + plot_width + kGap + max_width(names) + 2, top + plot_height + 2 * kLineHeight + kGap,
                  chart.title);
  drawing.text(0, kLineHeight - 4, chart.y_axis, Anchor::kStart, Ink::kGrey);
  for (double y = y_min; y < y_max + step / 2; y += step) {
    drawing.line(left, y_of(y), left + plot_width, y_of(y));
    drawing.text(left - kGap, y_of(y) + 4, y_text(y), Anchor::kEnd, Ink::kGrey);
  }
  const double room = text_width(std::to_string(points)) + 2 * kGap;
  const double most = std::max(1.0, plot_width / room);
  const auto x_step = static_cast<size_t>(std::max(1.0, round_step(static_cast<double>(points), std::min(most, 16.0))));
  for (size_t x = first; x < points; x = chart.log_x ? 2 * x : x + x_step) {
    drawing.text(x_of(x), top + plot_height + kLineHeight, std::to_string(x), Anchor::kMiddle, Ink::kGrey);
  }
  drawing.text(left, top + plot_height + 2 * kLineHeight, chart.x_axis, Anchor::kStart, Ink::kGrey);

  for (const LineChart::Line& line : chart.lines) {
    std::string path;
    for (size_t x = first; x < line.values.size(); ++x) {
      path += (x == first ? "M" : "L") + coordinate(x_of(x)) + " " + coordinate(y_of(line.values[x]));
    }
    drawing.stroke(path, line.ink);
  }
  // The names at the lines' ends, from top to bottom, at least one text line apart.
  std::vector<size_t> order(chart.lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto end_of = [&](size_t i) { return y_of(chart.lines[i].values.back()); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return end_of(a) < end_of(b); });
  const double bottom = top + plot_height + 4;
  double next = top;
  for (size_t i = 0; i < order.size(); ++i) {
    const double below = static_cast<double>(order.size() - 1 - i) * kLineHeight;
    const double y = std::min(std::max(next, end_of(order[i]) + 4), bottom - below);
    // On a logarithmic axis the ends of shorter lines are among the others' curves.
    const size_t last = chart.log_x ? points - 1 : chart.lines[order[i]].values.size() - 1;
    drawing.text(x_of(last) + kGap, y, names[order[i]], Anchor::kStart, chart.lines[order[i]].ink);
    next = y + kLineHeight;
  }
  return drawing.svg();
}

std::string draw_bar_chart(const BarChart& chart) {
  double highest = 1e-12, lowest = 0;
  std::vector<std::string> labels, numbers;
  for (const BarChart::Row& row : chart.rows) {
    double up = 0, down = 0;
    for (const BarChart::Part& part : row.parts) (part.value > 0 ? up : down) += part.value;
    highest = std::max(highest, up);
    lowest = std::min(lowest, down);
    labels.push_back(label_of(row.label, 2 * kLabelColumns));
    numbers.push_back(row.number);
  }
  const double high = kLineHeight + 4;
  const double left = max_width(labels) + kGap;
  const double plot = std::max(240.0, kChartWidth - left - kGap - max_width(numbers));
  const double scale = plot / (highest - lowest);
  const double zero = left - lowest * scale;
  Drawing drawing(left + plot + kGap + max_width(numbers), high * static_cast<double>(chart.rows.size()) + 2,
                  chart.title);
  for (size_t r = 0; r < chart.rows.size(); ++r) {
    const double y = high * static_cast<double>(r);
    drawing.text(left - kGap, y + kLineHeight - 2, labels[r], Anchor::kEnd);
    double right = zero, other = zero;
    for (const BarChart::Part& part : chart.rows[r].parts) {
      const double width = std::abs(part.value) * scale;
      if (part.value < 0) other -= width;
      drawing.rect(part.value < 0 ? other : right, y + 2, width, high - 4, part.ink);
      if (part.value > 0) right += width;
    }
    drawing.text(left + plot + kGap, y + kLineHeight - 2, numbers[r]);
  }
  drawing.line(zero, 0, zero, high * static_cast<double>(chart.rows.size()), Ink::kGrey);
  return drawing.svg();
}

void draw_color_scale(Drawing& drawing, double left, double top, double lowest, double highest) {
  constexpr size_t kWidth = static_cast<size_t>(kColorScaleWidth) / 2, kHeight = 10;
  const double below = lowest < 0 ? static_cast<double>(kWidth) : 0;
  const auto bar = [&](double x, Ink ink, bool falls) {
    std::vector<uint8_t> shades(kWidth * kHeight);
    for (size_t i = 0; i < shades.size(); ++i) {
      const size_t column = i % kWidth;
      shades[i] = static_cast<uint8_t>(255 * (falls ? kWidth - 1 - column : column) / (kWidth - 1));
    }
    drawing.picture({x, top, static_cast<double>(kWidth), static_cast<double>(kHeight)}, shades, kWidth, ink);
  };
  if (lowest < 0) bar(left, Ink::kOrange, true);
  bar(left + below, Ink::kBlue, false);
  const auto mark = [&](double value, double x, Anchor anchor) {
    drawing.text(left + x, top + kHeight + kLineHeight - 2, common::significant(value, 3), anchor, Ink::kGrey);
  };
  if (lowest < 0) mark(lowest, 0, Anchor::kStart);
  mark(0, below, lowest < 0 ? Anchor::kMiddle : Anchor::kStart);
  mark(highest, below + kWidth, Anchor::kEnd);
}

}  // namespace bert::drawings
