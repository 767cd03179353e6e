#include "program/drawings/charts.h"

#include <algorithm>
#include <cmath>
#include "program/common/table.h"

namespace bert::drawings {
namespace {

constexpr size_t kLabelColumns = 18, kNarrowLabelColumns = 12;
constexpr size_t kMostPixels = 256;  // of a matrix, in each direction
constexpr double kShades = 31;       // shades of a colour; pictures with more are several times as large
constexpr double kLeastStep = 0.5;   // pixels between two points of a line

double max_width(const std::vector<std::string>& labels) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, text_width(label));
  return width;
}

// Returns a round number near `highest` / `count`.
double round_step(double highest, double count) {
  const double rough = highest / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

std::vector<std::string> shortened_labels(const std::vector<std::string>& labels, size_t columns) {
  std::vector<std::string> shortened;
  for (const std::string& label : labels) shortened.push_back(label_of(label, columns));
  return shortened;
}

bool is_narrow(double width) { return width < kChartWidth; }

std::string heatmap(const Heatmap& map, double width) {
  const auto [lowest, highest] = std::minmax_element(map.values.begin(), map.values.end());
  const double range = std::max(1e-12, *highest - *lowest);
  const size_t letters = is_narrow(width) ? kNarrowLabelColumns : kLabelColumns;
  const std::vector<std::string> rows = shortened_labels(map.rows, letters),
                                 columns = shortened_labels(map.columns, letters);
  std::vector<std::string> numbers;
  for (const double value : map.values) numbers.push_back(common::fixed(value, map.decimals));
  const double high = kLineHeight + 4;
  const double left = std::max(max_width(rows), text_width(map.rows_are)) + kGap;
  const double least = std::max(max_width(numbers), max_width(columns)) + kGap;
  // Blocks of about equal width, one below another.
  const auto fitting = static_cast<size_t>(std::max(1.0, std::floor((width - left) / least)));
  const size_t blocks = (columns.size() + fitting - 1) / fitting;
  const size_t in_block = (columns.size() + blocks - 1) / blocks;
  const double cell = std::max(least, std::floor((width - left) / static_cast<double>(in_block)));
  const double top = 2 * kLineHeight + 4, block_height = top + high * static_cast<double>(rows.size()) + kGap;
  Drawing drawing(left + std::max(cell * static_cast<double>(in_block), text_width(map.columns_are)),
                  block_height * static_cast<double>(blocks) - kGap, map.title);
  for (size_t first = 0; first < columns.size(); first += in_block) {
    const double begin = block_height * static_cast<double>(first / in_block);
    drawing.text(left, begin + kLineHeight - 4, map.columns_are, Anchor::kStart, Ink::kGrey);
    drawing.text(0, begin + 2 * kLineHeight - 2, map.rows_are, Anchor::kStart, Ink::kGrey);
    for (size_t r = 0; r < rows.size(); ++r) {
      drawing.text(left - kGap, begin + top + high * static_cast<double>(r) + kLineHeight - 2, rows[r], Anchor::kEnd);
    }
    for (size_t c = first; c < std::min(first + in_block, columns.size()); ++c) {
      const double x = left + cell * static_cast<double>(c - first);
      drawing.text(x + cell / 2, begin + 2 * kLineHeight - 2, columns[c], Anchor::kMiddle, Ink::kGrey);
      for (size_t r = 0; r < rows.size(); ++r) {
        const size_t at = r * columns.size() + c;
        const double y = begin + top + high * static_cast<double>(r);
        // Pale enough for the number on it.
        drawing.rect(x + 1, y + 1, cell - 2, high - 2, Ink::kBlue, 0.04 + 0.46 * (map.values[at] - *lowest) / range);
        drawing.text(x + cell / 2, y + kLineHeight - 2, numbers[at], Anchor::kMiddle);
      }
    }
  }
  return drawing.svg();
}

// The pixels of a matrix: its values, or means of blocks.   values: [values.size() / columns, columns]
struct Pixels {
  std::vector<double> values;
  size_t columns = 0;
};
Pixels pixels_of(const MatrixChart& chart, size_t most_rows, size_t most_columns) {
  const size_t rows = chart.values.size() / chart.columns;
  const size_t down = (rows + most_rows - 1) / most_rows, across = (chart.columns + most_columns - 1) / most_columns;
  if (down == 1 && across == 1) return {chart.values, chart.columns};
  Pixels pixels{{}, (chart.columns + across - 1) / across};
  for (size_t row = 0; row < rows; row += down) {
    for (size_t column = 0; column < chart.columns; column += across) {
      double sum = 0;
      const size_t last_row = std::min(row + down, rows), last_column = std::min(column + across, chart.columns);
      for (size_t r = row; r < last_row; ++r) {
        for (size_t c = column; c < last_column; ++c) sum += chart.values[r * chart.columns + c];
      }
      pixels.values.push_back(sum / static_cast<double>((last_row - row) * (last_column - column)));
    }
  }
  return pixels;
}

std::string matrix(const MatrixChart& chart, double chart_width) {
  const size_t rows = chart.values.size() / chart.columns;
  const bool is_named = !chart.rows.empty();
  const std::vector<std::string> labels =
      shortened_labels(chart.rows, is_narrow(chart_width) ? kNarrowLabelColumns : kLabelColumns);
  const double left =
      (is_named ? std::max(max_width(labels), text_width(chart.rows_are)) : text_width(std::to_string(rows))) + kGap;
  // The last column's number is centred over it and may reach beyond the last cell.
  const double right = text_width("0000");
  // Without names, cells are squares, and two charts fit side by side.
  const double wanted = is_named || is_narrow(chart_width) ? chart_width - left - right : 384;
  const double cell = wanted / static_cast<double>(chart.columns);
  const double high = is_named ? kLineHeight : cell;
  const double width = cell * static_cast<double>(chart.columns), height = high * static_cast<double>(rows);
  const double top = 2 * kLineHeight;
  const bool has_negative = *std::min_element(chart.values.begin(), chart.values.end()) < 0;
  const double scale = has_negative ? kColorScaleWidth : kColorScaleWidth / 2;
  Drawing drawing(std::max(left + std::max(width + right, text_width(chart.columns_are)),
                           is_narrow(chart_width) ? scale + right / 2 : left + kColorScaleWidth + right),
                  top + height + 3 * kLineHeight, chart.title);
  drawing.text(left, kLineHeight - 4, chart.columns_are, Anchor::kStart, Ink::kGrey);
  if (is_named) drawing.text(0, top - 4, chart.rows_are, Anchor::kStart, Ink::kGrey);
  const auto step = static_cast<ptrdiff_t>(
      std::max(1.0, round_step(static_cast<double>(chart.columns), is_narrow(chart_width) ? 4 : 8)));
  for (ptrdiff_t column = 0; column < static_cast<ptrdiff_t>(chart.columns); ++column) {
    const ptrdiff_t tick = chart.first_column + column;
    if (tick % step != 0) continue;
    drawing.text(left + (static_cast<double>(column) + 0.5) * cell, top - 4, std::to_string(tick), Anchor::kMiddle,
                 Ink::kGrey);
  }
  const auto row_step = static_cast<size_t>(std::max(1.0, round_step(static_cast<double>(rows), height / 48)));
  for (size_t row = 0; row < rows; row += is_named ? 1 : row_step) {
    drawing.text(left - kGap / 2, top + (static_cast<double>(row) + 0.5) * high + 4,
                 is_named ? labels[row] : std::to_string(row), Anchor::kEnd, Ink::kGrey);
  }
  const size_t most = is_narrow(chart_width) ? kMostPixels / 2 : kMostPixels;
  const Pixels pixels = pixels_of(chart, is_named ? rows : most, most);
  for (const auto& [ink, sign] : {std::pair{Ink::kBlue, 1.0}, {Ink::kOrange, -1.0}}) {
    if (sign < 0 && !has_negative) continue;
    std::vector<uint8_t> shades;
    for (const double value : pixels.values) {
      const double share = std::clamp(sign * value / chart.full, 0.0, 1.0);
      shades.push_back(static_cast<uint8_t>(std::lround(255 * std::round(kShades * share) / kShades)));
    }
    drawing.picture({left, top, width, height}, shades, pixels.columns, ink);
  }
  draw_color_scale(drawing, is_narrow(chart_width) ? right / 2 : left, top + height + kLineHeight,
                   has_negative ? -chart.full : 0, chart.full);
  return drawing.svg();
}

// Where a line chart's values are in its drawing.
struct LinePlot {
  const LineChart& chart;
  size_t points = 2;  // of the longest line
  double y_min = 0, y_max = 0;
  double left = 0, width = 0, height = 0;

  static constexpr double kTop = kLineHeight + kGap;
  double bottom() const { return kTop + height; }
  size_t first() const { return chart.log_x ? 1 : 0; }
  double x_of(size_t x) const {
    const double share = chart.log_x ? std::log(static_cast<double>(x)) / std::log(static_cast<double>(points - 1))
                                     : static_cast<double>(x) / static_cast<double>(points - 1);
    return left + width * share;
  }
  double y_of(double value) const { return kTop + height * (y_max - value) / (y_max - y_min); }
};

void draw_x_axis(const LinePlot& plot, Drawing& drawing) {
  const double room = text_width(std::to_string(plot.points)) + 2 * kGap;
  const double most = std::max(1.0, plot.width / room);
  const auto points = static_cast<double>(plot.points);
  const auto step = static_cast<size_t>(std::max(1.0, round_step(points, std::min(most, 16.0))));
  const double doubling = plot.width * std::log(2) / std::log(points - 1);
  const auto factor = static_cast<size_t>(std::exp2(std::max(1.0, std::ceil(room / doubling))));
  for (size_t x = plot.first(); x < plot.points; x = plot.chart.log_x ? factor * x : x + step) {
    drawing.text(plot.x_of(x), plot.bottom() + kLineHeight, std::to_string(x), Anchor::kMiddle, Ink::kGrey);
  }
  drawing.text(plot.left, plot.bottom() + 2 * kLineHeight, plot.chart.x_axis, Anchor::kStart, Ink::kGrey);
}

void draw_lines(const LinePlot& plot, Drawing& drawing) {
  for (const LineChart::Line& line : plot.chart.lines) {
    std::string path;
    double drawn = -kLeastStep;
    for (size_t x = plot.first(); x < line.values.size(); ++x) {
      if (plot.x_of(x) - drawn < kLeastStep && x + 1 < line.values.size()) continue;
      drawn = plot.x_of(x);
      path += (x == plot.first() ? "M" : "L") + coordinate(drawn) + " " + coordinate(plot.y_of(line.values[x]));
    }
    drawing.stroke(path, line.ink);
  }
}

void draw_names_below(const LinePlot& plot, double width, Drawing& drawing) {
  double y = plot.bottom() + 3 * kLineHeight;
  for (const LineChart::Line& line : plot.chart.lines) {
    drawing.stroke("M0 " + coordinate(y - 5) + "h" + coordinate(plot.left - kGap), line.ink);
    const std::string label = label_of(line.name, static_cast<size_t>((width - plot.left) / kLetterWidth));
    drawing.text(plot.left, y, label, Anchor::kStart, line.ink);
    y += kLineHeight;
  }
}

// Draws the names from top to bottom, at least one text line apart.
void draw_names_at_ends(const LinePlot& plot, Drawing& drawing) {
  std::vector<LineChart::Line> lines = plot.chart.lines;
  const auto end_of = [&](const LineChart::Line& line) { return plot.y_of(line.values.back()); };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const LineChart::Line& a, const LineChart::Line& b) { return end_of(a) < end_of(b); });
  double next = LinePlot::kTop;
  for (size_t i = 0; i < lines.size(); ++i) {
    const double below = static_cast<double>(lines.size() - 1 - i) * kLineHeight;
    const double y = std::min(std::max(next, end_of(lines[i]) + 4), plot.bottom() + 4 - below);
    // On a logarithmic axis, the ends of shorter lines would be among the other lines.
    const size_t last = plot.chart.log_x ? plot.points - 1 : lines[i].values.size() - 1;
    drawing.text(plot.x_of(last) + kGap, y, lines[i].name, Anchor::kStart, lines[i].ink);
    next = y + kLineHeight;
  }
}

std::string line_chart(const LineChart& chart, double width) {
  LinePlot plot{chart};
  double highest = 1e-12, lowest = 0;
  std::vector<std::string> names;
  for (const LineChart::Line& line : chart.lines) {
    plot.points = std::max(plot.points, line.values.size());
    names.push_back(line.name);
    for (const double value : line.values) {
      highest = std::max(highest, value);
      lowest = std::min(lowest, value);
    }
  }
  const double step = round_step(highest - lowest, 5);
  plot.y_min = std::floor(lowest / step + 1e-9) * step;
  plot.y_max = std::ceil(highest / step - 1e-9) * step;
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  const auto y_text = [&](double value) {
    if (std::abs(value) < step / 2) value = 0;
    return chart.percent ? common::fixed(100 * value, std::max(0, decimals - 2)) + " %"
                         : common::fixed(value, decimals);
  };
  plot.left = std::max(text_width(y_text(plot.y_max)), text_width(y_text(plot.y_min))) + kGap;
  const double right = is_narrow(width) ? text_width(std::to_string(plot.points)) / 2 : kGap + max_width(names) + 2;
  plot.width = width - plot.left - right;
  plot.height = is_narrow(width) ? 200 : 320;
  const double names_height = is_narrow(width) ? kLineHeight * static_cast<double>(names.size()) : 0;
  Drawing drawing(width, plot.bottom() + 2 * kLineHeight + kGap + names_height, chart.title);
  drawing.text(0, kLineHeight - 4, chart.y_axis, Anchor::kStart, Ink::kGrey);
  for (double y = plot.y_min; y < plot.y_max + step / 2; y += step) {
    drawing.line(plot.left, plot.y_of(y), plot.left + plot.width, plot.y_of(y));
    drawing.text(plot.left - kGap, plot.y_of(y) + 4, y_text(y), Anchor::kEnd, Ink::kGrey);
  }
  draw_x_axis(plot, drawing);
  draw_lines(plot, drawing);
  if (is_narrow(width)) {
    draw_names_below(plot, width, drawing);
  } else {
    draw_names_at_ends(plot, drawing);
  }
  return drawing.svg();
}

// The range of a chart's bars, and the labels of its rows.
struct BarExtent {
  double lowest = 0, highest = 1e-12;
  std::vector<std::string> labels, numbers;
};

BarExtent extent_of(const BarChart& chart) {
  BarExtent extent;
  for (const BarChart::Row& row : chart.rows) {
    double up = 0, down = 0;
    for (const BarChart::Part& part : row.parts) (part.value > 0 ? up : down) += part.value;
    extent.highest = std::max(extent.highest, up);
    extent.lowest = std::min(extent.lowest, down);
    extent.labels.push_back(label_of(row.label, 2 * kLabelColumns));
    extent.numbers.push_back(row.number);
  }
  return extent;
}

// Draws from `zero` to both sides.
void draw_bar(Drawing& drawing, const BarChart::Row& row, double zero, double y, double height, double scale) {
  double right = zero, other = zero;
  for (const BarChart::Part& part : row.parts) {
    const double width = std::abs(part.value) * scale;
    if (part.value < 0) other -= width;
    drawing.rect(part.value < 0 ? other : right, y, width, height, part.ink);
    if (part.value > 0) right += width;
  }
}

std::string bar_chart(const BarChart& chart) {
  const BarExtent extent = extent_of(chart);
  const double high = kLineHeight + 4;
  const double left = max_width(extent.labels) + kGap;
  const double plot = std::max(240.0, kChartWidth - left - kGap - max_width(extent.numbers));
  const double scale = plot / (extent.highest - extent.lowest);
  const double zero = left - extent.lowest * scale;
  Drawing drawing(left + plot + kGap + max_width(extent.numbers), high * static_cast<double>(chart.rows.size()) + 2,
                  chart.title);
  for (size_t r = 0; r < chart.rows.size(); ++r) {
    const double y = high * static_cast<double>(r);
    drawing.text(left - kGap, y + kLineHeight - 2, extent.labels[r], Anchor::kEnd);
    draw_bar(drawing, chart.rows[r], zero, y + 2, high - 4, scale);
    drawing.text(left + plot + kGap, y + kLineHeight - 2, extent.numbers[r]);
  }
  drawing.line(zero, 0, zero, high * static_cast<double>(chart.rows.size()), Ink::kGrey);
  return drawing.svg();
}

// Writes label and number above each bar.
std::string narrow_bar_chart(const BarChart& chart) {
  const BarExtent extent = extent_of(chart);
  const double bar = 12, high = kLineHeight + bar + kGap, width = std::max(kNarrowWidth, max_width(extent.numbers));
  const double scale = width / (extent.highest - extent.lowest);
  const double zero = -extent.lowest * scale;
  Drawing drawing(width, high * static_cast<double>(chart.rows.size()) + 2, chart.title);
  for (size_t r = 0; r < chart.rows.size(); ++r) {
    const double y = high * static_cast<double>(r), number = text_width(extent.numbers[r]);
    const auto letters = static_cast<size_t>(std::max(0.0, width - number - kGap) / kLetterWidth);
    if (letters > 0) drawing.text(0, y + kLineHeight - 4, label_of(extent.labels[r], letters));
    drawing.text(width, y + kLineHeight - 4, extent.numbers[r], Anchor::kEnd);
    draw_bar(drawing, chart.rows[r], zero, y + kLineHeight, bar, scale);
    drawing.line(zero, y + kLineHeight, zero, y + kLineHeight + bar, Ink::kGrey);
  }
  return drawing.svg();
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

Picture draw_heatmap(const Heatmap& map) { return {heatmap(map, kChartWidth), heatmap(map, kNarrowWidth)}; }
Picture draw_matrix(const MatrixChart& chart) { return {matrix(chart, kChartWidth), matrix(chart, kNarrowWidth)}; }
Picture draw_line_chart(const LineChart& chart) {
  return {line_chart(chart, kChartWidth), line_chart(chart, kNarrowWidth)};
}
Picture draw_bar_chart(const BarChart& chart) { return {bar_chart(chart), narrow_bar_chart(chart)}; }

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
