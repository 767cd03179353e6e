#include "program/drawings/drawing.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "program/common/table.h"
#include "program/common/terminal_text.h"
#include "program/drawings/deflate.h"

namespace bert::drawings {
namespace {

constexpr char kUp = 2;

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](size_t i) {
      return at + i < bytes.size() ? uint32_t{static_cast<uint8_t>(bytes[at + i])} : 0;
    };
    const uint32_t bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    text += kDigits[bits >> 18];
    text += kDigits[bits >> 12 & 63];
    text += at + 1 < bytes.size() ? kDigits[bits >> 6 & 63] : '=';
    text += at + 2 < bytes.size() ? kDigits[bits & 63] : '=';
  }
  return text;
}

// Returns the checksum of a PNG's chunk: x³² + … + 1, the lowest bit first (RFC 2083, appendix 15).
uint32_t crc32(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> values{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
      values[byte] = byte;
      for (int bit = 0; bit < 8; ++bit) values[byte] = values[byte] >> 1 ^ (values[byte] & 1 ? 0xEDB88320u : 0);
    }
    return values;
  }();
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<uint8_t>(byte)) & 255];
  return ~crc;
}

std::string big_endian(uint32_t number) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 255);
  return bytes;
}

std::string chunk(const std::string& name, const std::string& data) {
  return big_endian(static_cast<uint32_t>(data.size())) + name + data + big_endian(crc32(name + data));
}

// Returns "data:image/png;base64,…" of a grey image, 0 black to 255 white.   pixels: [height, width]
std::string png_uri(std::span<const uint8_t> pixels, size_t width, size_t height) {
  std::string rows;  // each row follows its filter, which subtracts the row above
  for (size_t y = 0; y < height; ++y) {
    rows += kUp;
    for (size_t x = y * width; x < (y + 1) * width; ++x) {
      rows += static_cast<char>(pixels[x] - (y == 0 ? 0 : pixels[x - width]));
    }
  }
  const std::string header = big_endian(static_cast<uint32_t>(width)) + big_endian(static_cast<uint32_t>(height));
  constexpr char kEightBitGrey[] = {8, 0, 0, 0, 0};
  return "data:image/png;base64," +
         base64("\x89PNG\r\n\x1a\n" + chunk("IHDR", header + std::string(kEightBitGrey, sizeof kEightBitGrey)) +
                chunk("IDAT", deflated(rows)) + chunk("IEND", ""));
}

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + coordinate(value) + "\"";
}

std::string attributes(const Box& box) {
  return attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.width) +
         attribute("height", box.height);
}

std::string with_opacity(const char* name, double opacity) { return opacity < 1 ? attribute(name, opacity) : ""; }

}  // namespace

const char* ink_class(Ink ink) {
  switch (ink) {
    case Ink::kBlue:
      return "blue";
    case Ink::kOrange:
      return "orange";
    case Ink::kGreen:
      return "green";
    case Ink::kGrey:
      return "grey";
    case Ink::kText:
      return "ink";
    case Ink::kGrid:
      return "grid";
  }
  return "";
}

double text_width(std::string_view text) { return kLetterWidth * static_cast<double>(common::display_width(text)); }

std::string label_of(std::string_view text, size_t columns) {
  const std::string whole = common::one_line(text);
  if (common::display_width(whole) <= columns) return whole;
  std::string shortened;
  for (size_t at = 0; at < whole.size();) {
    size_t end = at + 1;
    while (end < whole.size() && (static_cast<unsigned char>(whole[end]) & 0xC0) == 0x80) ++end;
    if (common::display_width(shortened) + common::display_width(whole.substr(at, end - at)) + 1 > columns) break;
    shortened += whole.substr(at, end - at);
    at = end;
  }
  return shortened + "…";
}

std::string coordinate(double value) {
  const double rounded = std::round(value * 100) / 100;
  return common::significant(rounded == 0 ? 0 : rounded, 7);  // avoids "-0"
}

Drawing::Drawing(double width, double height, const std::string& title)
    : svg_("<svg viewBox=\"0 0 " + coordinate(width) + " " + coordinate(height) + "\"" + attribute("width", width) +
           attribute("height", height) + " role=\"img\" aria-label=\"" + escaped(title) + "\">\n") {}

void Drawing::rect(double x, double y, double width, double height, Ink ink, double opacity) {
  svg_ += "<rect class=\"" + std::string(ink_class(ink)) + "\"" + attribute("x", x) + attribute("y", y) +
          attribute("width", width) + attribute("height", height) + with_opacity("fill-opacity", opacity) + "/>\n";
}

void Drawing::line(double x1, double y1, double x2, double y2, Ink ink) {
  svg_ += "<line class=\"pen " + std::string(ink_class(ink)) + "\"" + attribute("x1", x1) + attribute("y1", y1) +
          attribute("x2", x2) + attribute("y2", y2) + "/>\n";
}

void Drawing::area(const std::string& shape, Ink ink, double opacity) {
  svg_ += "<path class=\"" + std::string(ink_class(ink)) + "\" d=\"" + shape + "\"" +
          with_opacity("fill-opacity", opacity) + "/>\n";
}

void Drawing::stroke(const std::string& shape, Ink ink, double pen, double opacity) {
  svg_ += "<path class=\"pen " + std::string(ink_class(ink)) + "\" d=\"" + shape + "\"" +
          attribute("stroke-width", pen) + with_opacity("stroke-opacity", opacity) + "/>\n";
}

// The PNG is the mask of a rectangle whose colour follows the page's style sheet. Equal masks have equal ids.
void Drawing::picture(const Box& box, std::span<const uint8_t> shades, size_t columns, Ink ink) {
  const size_t rows = shades.size() / columns;
  const std::string png = png_uri(shades, columns, rows);
  const std::string place = attributes(box);
  const std::string id = "mask-" + std::to_string(std::hash<std::string>()(png + place));
  // Enlarged cells have sharp edges, but a reduced picture must not drop rows.
  const bool is_enlarged = box.width > static_cast<double>(columns) && box.height > static_cast<double>(rows);
  svg_ += "<mask id=\"" + id + "\" maskUnits=\"userSpaceOnUse\"" + place + "><image" + place +
          " preserveAspectRatio=\"none\"" + (is_enlarged ? " style=\"image-rendering: pixelated\"" : "") + " href=\"" +
          png + "\"/></mask>\n<rect class=\"" + ink_class(ink) + "\"" + place + " mask=\"url(#" + id + ")\"/>\n";
}

void Drawing::text(double x, double y, std::string_view text, Anchor anchor, Ink ink) {
  static constexpr const char* kAnchors[] = {"start", "middle", "end"};
  svg_ += "<text class=\"" + std::string(ink_class(ink)) + "\"" + attribute("x", x) + attribute("y", y) +
          " text-anchor=\"" + kAnchors[static_cast<size_t>(anchor)] + "\">" + escaped(text) + "</text>\n";
}

void Drawing::vertical_text(double x, double y, std::string_view text, Ink ink) {
  svg_ += "<text class=\"" + std::string(ink_class(ink)) + "\" transform=\"translate(" + coordinate(x) + " " +
          coordinate(y) + ") rotate(-90)\">" + escaped(text) + "</text>\n";
}

void Drawing::begin_link(const std::string& id, const std::string& title) {
  svg_ += "<a href=\"#" + id + "\"><title>" + escaped(title) + "</title>\n";
}

void Drawing::cell_titles(const Box& box, const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                          std::span<const float> values, double least) {
  const double width = box.width / static_cast<double>(columns.size());
  const double height = box.height / static_cast<double>(rows.size());
  const std::string shape =
      "h" + coordinate(width) + "v" + coordinate(height) + "h" + coordinate(-width) + "z\"><title>";
  svg_ += "<g class=\"cells\">";
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < least) continue;
    const size_t row = i / columns.size(), column = i % columns.size();
    svg_ += "<path d=\"M" + coordinate(box.x + width * static_cast<double>(column)) + " " +
            coordinate(box.y + height * static_cast<double>(row)) + shape + escaped(rows[row]) + " → " +
            escaped(columns[column]) + ": " + common::fixed(double{values[i]}, 3) + "</title></path>";
  }
  svg_ += "</g>\n";
}

}  // namespace bert::drawings
