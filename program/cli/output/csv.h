// A table as CSV (RFC 4180): the first line names the columns; a field with a comma, a quote or a line break is quoted.
// Lines end with \n. Used by one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/cli/input/input.h"
#include "program/cli/options/options.h"
#include "program/cli/output/output.h"

namespace bert::cli {

// The field as it is written.
std::string csv_field(std::string_view text);

// With as many digits as tell it from its neighbours.
std::string number_cell(double value);

// The cells "id" and those that --keep copies, in its order.
std::vector<std::string> source_cells(const ItemSource& source, const std::vector<std::string>& keep);

class CsvTable {
 public:
  // Writes the names.
  CsvTable(Output& output, const std::vector<std::string>& columns);
  // Writes a row, which has as many cells as there are columns.
  void add(const std::vector<std::string>& cells);

 private:
  Output& output_;
};

// The columns of results: "index", "id", those that --keep copies, the command's own, and "error" unless results of
// failed texts are left out.
class CsvResults {
 public:
  enum class Failed { kHasRow, kIsLeftOut };

  CsvResults(Output& output, const Options& options, const std::vector<std::string>& own,
             Failed failed = Failed::kHasRow);
  // A row of a result: index: of the item, from 0; own: the cells of the command's columns.
  void add(size_t index, const ItemSource& source, const std::vector<std::string>& own);
  // A row without a result, unless such are left out.
  void add_error(size_t index, const ItemSource& source, const std::string& error);

 private:
  std::vector<std::string> begin(size_t index, const ItemSource& source) const;

  std::vector<std::string> keep_;
  size_t own_;  // columns
  Failed failed_;
  CsvTable table_;
};

}  // namespace bert::cli
