#include "program/common/table.h"

#include <algorithm>
#include <cstdio>

#include "program/common/terminal_text.h"

namespace bert::common {
namespace {

void append_cell(std::string& line, const std::string& cell, Align align, size_t width) {
  const size_t padding = width - std::min(width, display_width(cell));
  if (align == Align::kRight) line.append(padding, ' ');
  line += cell;
  if (align == Align::kLeft) line.append(padding, ' ');
}

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[64];
  std::snprintf(text, sizeof(text), pattern, values...);
  return text;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(const TextStyle& style, const std::string& indent) const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    size_t width = display_width(columns_[c].title);
    for (const std::vector<std::string>& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  std::string result;
  std::vector<size_t> shown = {0};
  size_t used = indent.size() + widths.front();
  for (size_t c = 1; c < columns_.size(); ++c) {
    if (style.columns > 0 && used + 2 + widths[c] > style.columns && shown.size() > 1) {
      result += lines(shown, widths, style, indent) + "\n";
      shown = {0};
      used = indent.size() + widths.front();
    }
    shown.push_back(c);
    used += 2 + widths[c];
  }
  return result + lines(shown, widths, style, indent);
}

std::string Table::lines(const std::vector<size_t>& shown, const std::vector<size_t>& widths, const TextStyle& style,
                         const std::string& indent) const {
  const auto line_of = [&](const auto& cell_of) {
    std::string line = indent;
    for (const size_t c : shown) {
      if (c > 0) line += "  ";
      append_cell(line, cell_of(c), columns_[c].align, widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  const std::string titles = line_of([&](size_t c) { return columns_[c].title; });
  std::string result = style.color ? "\x1b[1m" + titles + "\x1b[0m\n" : titles + "\n";
  for (const std::vector<std::string>& row : rows_) result += line_of([&](size_t c) { return row[c]; }) + "\n";
  return result;
}

std::string with_commas(size_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string human_bytes(double bytes) {
  const char* const units[] = {"bytes", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 999.5 && unit < 4; ++unit) bytes /= 1000;
  return format(unit == 0 || bytes >= 99.95 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

std::string fixed(double value, int decimals) { return format("%.*f", decimals, value); }

std::string significant(double value, int digits) { return format("%.*g", digits, value); }

}  // namespace bert::common
