// Builds an SVG, shape by shape. Colours are classes of the page's style sheet, so that one drawing works on light and
// dark screens and in print. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bert::drawings {

// Three colours that colour-blind readers can distinguish, and greys.
enum class Ink { kBlue, kOrange, kGreen, kGrey, kText, kGrid };
const char* ink_class(Ink ink);

enum class Anchor { kStart, kMiddle, kEnd };

// Text in a drawing is 11 px high in a fixed-width font. The width is a little more than that of the widest such font,
// so that labels do not overlap.
inline constexpr double kLetterWidth = 6.8;
inline constexpr double kLineHeight = 15;
double text_width(std::string_view text);

// The text in at most `columns` columns, truncated with "…"; control characters escaped.
std::string label_of(std::string_view text, size_t columns);

// The text with &, <, > and quotes escaped for HTML and SVG.
std::string escaped(std::string_view text);

class Drawing {
 public:
  // `title`: for screen readers.
  Drawing(double width, double height, const std::string& title);

  void rect(double x, double y, double width, double height, Ink ink, double opacity = 1);
  void line(double x1, double y1, double x2, double y2, Ink ink = Ink::kGrid);
  // `shape`: an SVG path. area fills it, stroke draws it `pen` pixels wide.
  void area(const std::string& shape, Ink ink, double opacity = 1);
  void stroke(const std::string& shape, Ink ink, double pen = 2, double opacity = 1);
  // A picture of shades of the ink, 0 none to 255 full, a pixel each.   shades: [height, width]
  void picture(double x, double y, std::span<const uint8_t> shades, size_t width, Ink ink);
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::kStart, Ink ink = Ink::kText);

  std::string svg() const { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

// A coordinate, rounded to 0.01 pixels.
std::string coordinate(double value);

}  // namespace bert::drawings
