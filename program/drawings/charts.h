// The charts of the pages. Each has enough room for its labels, and a form for narrow windows with the same content.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "program/drawings/drawing.h"

namespace bert::drawings {

// Returns "0", "1", … or "1", "2", …, as names of rows or columns.
std::vector<std::string> counted(size_t first, size_t count);

// Returns 1, 2, 4, … up to `farthest`.
std::vector<size_t> doubling_distances(size_t farthest);

// A chart for few numbers: each is printed in its cell, which is coloured by the value. Columns that do not fit side by
// side continue below.
struct Heatmap {
  std::string title;  // for screen readers
  std::string rows_are;
  std::string columns_are;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<double> values;  // [rows, columns]
  int decimals = 2;
};
Picture draw_heatmap(const Heatmap& map);

// A chart for many numbers: each is a cell, blue above 0, orange below, without its number, beside a colour scale. If
// there are more rows or columns than pixels, a pixel is the mean of neighbouring cells.
struct MatrixChart {
  std::string title;
  std::string rows_are = {};
  std::string columns_are;
  std::vector<std::string> rows = {};  // names; empty: rows count from 0
  ptrdiff_t first_column = 0;          // number of the first column
  size_t columns = 0;
  std::vector<double> values;  // [rows, columns]
  double full = 1;             // this value, and larger ones, have the full colour
};
Picture draw_matrix(const MatrixChart& chart);

struct LineChart {
  struct Line {
    std::string name;  // printed at the line's end; in the narrow form, under the chart
    Ink ink = Ink::kBlue;
    std::vector<double> values;  // at x = 0, 1, 2, …
  };
  std::string title;
  std::string x_axis;
  std::string y_axis;
  std::vector<Line> lines;
  bool percent = false;  // y is shown in percent
  bool log_x = false;    // x begins at 1 and has a logarithmic scale
};
Picture draw_line_chart(const LineChart& chart);

// A chart with a stacked bar for each row. Parts below 0 extend to the left.
struct BarChart {
  struct Part {
    double value = 0;
    Ink ink = Ink::kBlue;
  };
  struct Row {
    std::string label;
    std::vector<Part> parts;
    std::string number;  // printed at the end of the row
  };
  std::string title;
  std::vector<Row> rows;
};
Picture draw_bar_chart(const BarChart& chart);

// The width of a colour scale from `lowest`, which is 0 or -`highest`, to `highest`, with numbers under it. It is half
// as wide if it begins at 0.
inline constexpr double kColorScaleWidth = 320;
void draw_color_scale(Drawing& drawing, double left, double top, double lowest, double highest);

}  // namespace bert::drawings
