// The charts of the pages, each with enough room for its labels and with a form for narrow windows, which says the
// same. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "program/drawings/drawing.h"

namespace bert::drawings {

// "0", "1", … or "1", "2", …, as names of rows or columns.
std::vector<std::string> counted(size_t first, size_t count);

// 1, 2, 4, … up to `farthest`.
std::vector<size_t> doubling_distances(size_t farthest);

// For few numbers: each is printed in its cell, and the cell is coloured by its value. Columns that do not fit beside
// one another continue below.
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

// For many numbers, each a cell without its number: blue above 0, orange below, with a scale of the colours. Of more
// rows or columns than a picture has pixels, a pixel has the mean of neighbouring cells.
struct MatrixChart {
  std::string title;
  std::string rows_are = {};
  std::string columns_are;
  std::vector<std::string> rows = {};  // names; empty: the rows count from 0
  ptrdiff_t first_column = 0;          // the columns count from it
  size_t columns = 0;
  std::vector<double> values;  // [rows, columns]
  double full = 1;             // the value of the full colour, and of all beyond it
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
  bool percent = false;  // y is a share
  bool log_x = false;    // x begins at 1, and each doubling of it has the same width
};
Picture draw_line_chart(const LineChart& chart);

// A stacked bar for each row. Parts below 0 go to the left.
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

// A bar of the colours of a drawing from `lowest`, 0 or the opposite of `highest`, to `highest`, with their numbers
// under it. It is half as wide if it begins at 0.
inline constexpr double kColorScaleWidth = 320;
void draw_color_scale(Drawing& drawing, double left, double top, double lowest, double highest);

}  // namespace bert::drawings
