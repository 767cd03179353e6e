#include "program/cli/output/csv.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace bert::cli {
namespace {

std::vector<std::string> result_columns(const Options& options, const std::vector<std::string>& own, bool has_errors) {
  std::vector<std::string> columns = {"index", "id"};
  columns.insert(columns.end(), options.keep.begin(), options.keep.end());
  columns.insert(columns.end(), own.begin(), own.end());
  if (has_errors) columns.emplace_back("error");
  return columns;
}

// Returns a value of JSON as a field: the text of a string, nothing for null, other values as written.
std::string cell_of(const std::string& json) {
  if (json.starts_with('"')) return nlohmann::json::parse(json).get<std::string>();
  return json == "null" ? "" : json;
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted += '"';
}

std::string number_cell(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::vector<std::string> source_cells(const ItemSource& source, const std::vector<std::string>& keep) {
  std::vector<std::string> cells = {source.id.empty() ? "" : cell_of(source.id)};
  for (const std::string& name : keep) {
    const auto found =
        std::find_if(source.kept.begin(), source.kept.end(), [&](const KeptMember& kept) { return kept.name == name; });
    cells.push_back(found == source.kept.end() ? "" : cell_of(found->json));
  }
  return cells;
}

CsvTable::CsvTable(Output& output, const std::vector<std::string>& columns) : output_(output) { add(columns); }

void CsvTable::add(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == cells.data() ? "" : ",") + csv_field(cell);
  output_.write(line += '\n');
}

CsvResults::CsvResults(Output& output, const Options& options, const std::vector<std::string>& own, Failed failed)
    : keep_(options.keep),
      own_(own.size()),
      failed_(failed),
      table_(output, result_columns(options, own, failed == Failed::kHasRow)) {}

void CsvResults::add(size_t index, const ItemSource& source, const std::vector<std::string>& own) {
  std::vector<std::string> cells = begin(index, source);
  cells.insert(cells.end(), own.begin(), own.end());
  if (failed_ == Failed::kHasRow) cells.emplace_back();
  table_.add(cells);
}

void CsvResults::add_error(size_t index, const ItemSource& source, const std::string& error) {
  if (failed_ == Failed::kIsLeftOut) return;
  std::vector<std::string> cells = begin(index, source);
  cells.resize(cells.size() + own_);
  cells.push_back(error);
  table_.add(cells);
}

std::vector<std::string> CsvResults::begin(size_t index, const ItemSource& source) const {
  std::vector<std::string> cells = source_cells(source, keep_);
  cells.insert(cells.begin(), std::to_string(index));
  return cells;
}

}  // namespace bert::cli
