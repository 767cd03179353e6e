// A table for people: columns are as wide as their widest cell; wide characters count as a terminal shows them. Used by
// one thread.
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

// How text is displayed at its destination.
struct TextStyle {
  bool color = false;
  size_t columns = 0;  // the terminal's; 0: unlimited
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells);

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  // Returns lines with two spaces between columns and none at their ends; the title line is bold with colours. A table
  // wider than the style's columns continues below, with its first column repeated, then the columns that did not fit.
  std::string text(const TextStyle& style, const std::string& indent = "") const;

 private:
  // Returns the lines of these columns.
  std::string lines(const std::vector<size_t>& shown, const std::vector<size_t>& widths, const TextStyle& style,
                    const std::string& indent) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Returns 1234567 as "1,234,567".
std::string with_commas(size_t number);

// Returns 12.3 MB, 4.5 KB, 17 bytes: powers of ten, as for disks.
std::string human_bytes(double bytes);

// Returns `value` with `decimals` digits after the point.
std::string fixed(double value, int decimals);

// Returns `value` with `digits` significant digits, as %g does.
std::string significant(double value, int digits);

}  // namespace bert::common
