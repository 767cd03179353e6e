// A picture as SVG text, shape by shape. Colours are classes that the page's style sheet fills in, so that one drawing
// serves light, dark and paper. Used by one thread.
#pragma once

#include <string>
#include <string_view>

namespace bert::cli {

// The colours of what is drawn: three that the colour-blind tell apart, and the greys.
enum class Ink { kBlue, kOrange, kGreen, kGrey, kText, kGrid };
const char* ink_class(Ink ink);

enum class Anchor { kStart, kMiddle, kEnd };

// Text in a drawing is 11 px high in a fixed-width font; a little wider than the widest such font, so that what is
// placed by it never touches.
inline constexpr double kLetterWidth = 6.8;
inline constexpr double kLineHeight = 15;
double text_width(std::string_view text);

// The text in at most so many columns, with "…" for what is cut; control characters written out.
std::string label_of(std::string_view text, size_t columns);

// The text with &, <, > and quotes as HTML and SVG want them.
std::string escaped(std::string_view text);

class Drawing {
 public:
  // `title`: what the picture shows, for who cannot see it.
  Drawing(double width, double height, const std::string& title);

  void rect(double x, double y, double width, double height, Ink ink, double opacity = 1);
  void line(double x1, double y1, double x2, double y2, Ink ink = Ink::kGrid);
  // `shape`: an SVG path. Filled, or drawn with a pen `pen` wide.
  void area(const std::string& shape, Ink ink, double opacity = 1);
  void stroke(const std::string& shape, Ink ink, double pen = 2, double opacity = 1);
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::kStart, Ink ink = Ink::kText);

  std::string svg() const { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

// A coordinate with the digits that a screen can show.
std::string coordinate(double value);

}  // namespace bert::cli
