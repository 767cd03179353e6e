// The records of a file of columns (CSV or TSV), line by line. The first record names the columns. A field that begins
// with " is quoted: it may have separators and line breaks, and "" for a " (RFC 4180). Used by one thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/cli/input/json_record.h"

namespace bert::cli {

// Where records end in the bytes of a file of columns, without their fields.
class RecordEnds {
 public:
  explicit RecordEnds(char separator) : separator_(separator) {}

  // The next byte; true if it ends a record.
  bool add(char c);

 private:
  enum class Place { kBegin, kPlain, kQuoted, kAfterQuote };

  char separator_;
  Place place_ = Place::kBegin;
};

// What separates the names in the first line, of , ; tab and |: that by which one of them is the text's column, or else
// that by which they are the most.
char separator_of(std::string_view first_line, std::string_view text_column);

class ColumnRecords {
 public:
  // separator: \0 for what separator_of finds. file: its name in messages. The members are the columns' names; "id" and
  // the others are optional.
  ColumnRecords(char separator, RecordMembers members, std::string file);

  // True if the line is the last one of a record that follows the names. Throws InputError if no column is the text's,
  // the named pair's or the label's, or a name is there twice.
  bool add(std::string_view line);
  bool has_names() const { return !names_.empty(); }                  // the first record was read
  bool is_within_quotes() const { return place_ == Place::kQuoted; }  // after a line: the record goes on

  // The record that the last line has ended; item.error describes a wrong one. Adds the names of unused columns.
  void read(Item& item, std::set<std::string>& unused);

 private:
  enum class Place { kBegin, kPlain, kQuoted, kAfterQuote };  // in a field

  void add_character(char c);
  void end_field();
  void take_names();

  char separator_;
  RecordMembers members_;
  std::string file_;
  std::vector<std::string> names_;  // empty: not read yet
  std::vector<std::string> fields_;
  std::string field_;
  Place place_ = Place::kBegin;
  std::string problem_;  // the first one of the record
};

}  // namespace bert::cli
