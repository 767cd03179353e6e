// A table for people: columns as wide as their widest cell, wide characters counted as a terminal shows them.
// Used by one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bert::cli {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells);

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  // Lines with two spaces between columns and none at their ends; the title line is bold if `color`.
  std::string text(bool color, const std::string& indent = "") const;

 private:
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

}  // namespace bert::cli
