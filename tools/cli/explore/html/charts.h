// The kinds of pictures that the pages have. Each function gives an SVG whose labels have the room they need.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/cli/explore/html/drawing.h"

namespace bert::cli {

// Few enough numbers to be read: each is printed in its cell, and coloured by its size.
struct NumberMap {
  std::string title;  // for who cannot see it
  std::string rows_are;
  std::string columns_are;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<double> values;  // [rows, columns]
  int decimals = 2;
};
std::string draw_number_map(const NumberMap& map);

// A square of many numbers from -1 to 1 as colours: blue above 0, orange below. Rows and columns count from 0.
struct SquareMap {
  std::string title;
  std::string axis;  // what is counted
  size_t size = 0;
  std::vector<double> values;  // [size, size]
};
std::string draw_square_map(const SquareMap& map);

struct LineChart {
  struct Line {
    std::string name;  // stands at the line's end
    Ink ink = Ink::kBlue;
    std::vector<double> values;  // at x = 0, 1, 2, …
  };
  std::string title;
  std::string x_axis;
  std::string y_axis;
  std::vector<Line> lines;
  bool percent = false;  // y is a share
};
std::string draw_line_chart(const LineChart& chart);

// A bar for each row, of parts in a row. Parts below 0 go to the left.
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
std::string draw_bar_chart(const BarChart& chart);

// One attention head: the tokens below each other, arcs on their left from each token to those it looks at (orange to
// earlier ones, blue to later ones), and on their right the map, a row a token, columns in the same order, coloured by
// the head's own largest weight.
struct HeadPicture {
  std::string title;
  const std::vector<std::string>& tokens;
  const float* weights = nullptr;  // [tokens, tokens]
};
// Each token has an arc to the other that it looks at most, and to any with this weight or more.
inline constexpr double kLeastArc = 0.15;
std::string draw_head(const HeadPicture& head);

}  // namespace bert::cli
