// Writes a table as CSV (RFC 4180): the first line names the columns; a field with a comma, a quote or a line break is
// quoted. Lines end with \n. Used by one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/cli/input/input.h"
#include "program/cli/options/options.h"
#include "program/cli/output/output.h"

namespace bert::cli {

// Returns the field as it is written.
std::string csv_field(std::string_view text);

// Returns the number with as many digits as distinguish it from its neighbours.
std::string number_cell(double value);

// Returns the cells of "id" and of the members of --keep, in that order.
std::vector<std::string> source_cells(const ItemSource& source, const std::vector<std::string>& keep);

class CsvTable {
 public:
  // Writes the column names.
  CsvTable(Output& output, const std::vector<std::string>& columns);
  // Writes a row, which must have a cell for each column.
  void add(const std::vector<std::string>& cells);

 private:
  Output& output_;
};

// The columns of results: "index", "id", the members of --keep, the command's own columns, and "error" unless results
// of failed texts are left out.
class CsvResults {
 public:
  enum class Failed { kHasRow, kIsLeftOut };

  CsvResults(Output& output, const Options& options, const std::vector<std::string>& own,
             Failed failed = Failed::kHasRow);
  // Writes a result's row. index: the item's, from 0; own: the cells of the command's columns.
  void add(size_t index, const ItemSource& source, const std::vector<std::string>& own);
  // Writes a row without a result, unless such rows are left out.
  void add_error(size_t index, const ItemSource& source, const std::string& error);

 private:
  std::vector<std::string> begin(size_t index, const ItemSource& source) const;

  std::vector<std::string> keep_;
  size_t own_;  // number of the command's columns
  Failed failed_;
  CsvTable table_;
};

}  // namespace bert::cli
