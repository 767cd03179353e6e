// A table for people: columns as wide as their widest cell, wide characters counted as a terminal shows them.
// Used by one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bert::common {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

// How text looks in the place where it goes.
struct TextStyle {
  bool color = false;
  size_t columns = 0;  // of the terminal; 0: as many as needed
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells);

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  // Lines with two spaces between columns and none at their ends; the title line is bold with colours. A table wider
  // than the style's columns continues below: its first column again, and the columns that did not fit.
  std::string text(const TextStyle& style, const std::string& indent = "") const;

 private:
  // Lines of these columns.
  std::string lines(const std::vector<size_t>& shown, const std::vector<size_t>& widths, const TextStyle& style,
                    const std::string& indent) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// 1234567 as "1,234,567".
std::string with_commas(size_t number);

// 12.3 MB, 4.5 KB, 17 bytes: powers of ten, as for disks.
std::string human_bytes(double bytes);

// `value` with `decimals` digits after the point.
std::string fixed(double value, int decimals);

// `value` in `digits` significant digits, as %g writes it.
std::string significant(double value, int digits);

}  // namespace bert::common
