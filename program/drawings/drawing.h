// Builds an SVG, shape by shape. Colours are classes of the page's style sheet, so that one drawing suits light and
// dark screens and print. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/common/markup.h"

namespace bert::drawings {

using common::escaped;

// Three colours that colour-blind readers can distinguish, and greys.
enum class Ink { kBlue, kOrange, kGreen, kGrey, kText, kGrid };
const char* ink_class(Ink ink);

enum class Anchor { kStart, kMiddle, kEnd };

// Text in a drawing is 14 px high in a fixed-width font. This is a little more than the width of the widest such font,
// so that labels do not overlap.
inline constexpr double kLetterWidth = 8.65;
inline constexpr double kLineHeight = 19;
// The distance between a label and what it names.
inline constexpr double kGap = 8;
// The width of a chart: that of the page's text, unless its labels need more; its narrow form fits on a phone.
inline constexpr double kChartWidth = 960;
inline constexpr double kNarrowWidth = 336;
double text_width(std::string_view text);

// Returns the text in at most `columns` columns, truncated with "…"; control characters are escaped.
std::string label_of(std::string_view text, size_t columns);

struct Box {
  double x, y, width, height;
};

// A finished drawing as SVG.
struct Picture {
  // NOLINTNEXTLINE(google-explicit-constructor): a drawing with one form
  Picture(std::string svg = {}, std::string narrow_svg = {}) : wide(std::move(svg)), narrow(std::move(narrow_svg)) {}

  std::string wide;
  std::string narrow;  // for a narrow window; empty: `wide` is scaled
};

class Drawing {
 public:
  // title: for screen readers.
  Drawing(double width, double height, const std::string& title);

  void rect(double x, double y, double width, double height, Ink ink, double opacity = 1);
  void line(double x1, double y1, double x2, double y2, Ink ink = Ink::kGrid);
  // shape: an SVG path. area fills it, stroke draws it `pen` pixels wide.
  void area(const std::string& shape, Ink ink, double opacity = 1);
  void stroke(const std::string& shape, Ink ink, double pen = 2, double opacity = 1);
  // Draws a picture that fills the box, in shades of the ink: 0 is none, 255 full.   shades: [rows, columns]
  void picture(const Box& box, std::span<const uint8_t> shades, size_t columns, Ink ink);
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::kStart, Ink ink = Ink::kText);
  // Draws text upwards, starting at (x, y).
  void vertical_text(double x, double y, std::string_view text, Ink ink = Ink::kText);
  // Everything drawn until end_link() is a link to an element of the page. title: shown under the pointer.
  void begin_link(const std::string& id, const std::string& title);
  void end_link() { svg_ += "</a>\n"; }
  // Shows, under the pointer, the value of the cell with the names of its row and column, for values of at least
  // `least`.   values: [rows, columns]
  void cell_titles(const Box& box, const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                   std::span<const float> values, double least);

  std::string svg() const { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

// Returns a coordinate, rounded to 0.01 pixels.
std::string coordinate(double value);

}  // namespace bert::drawings
