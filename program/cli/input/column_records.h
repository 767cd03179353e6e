// Reads the records of a file of columns (CSV or TSV), line by line. The first record names the columns. A field that
// begins with " is quoted: it may contain separators and line breaks, and "" stands for " (RFC 4180). Used by one
// thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/cli/input/json_record.h"

namespace bert::cli {

// Finds where records end in the bytes of a file of columns, without parsing their fields.
class RecordEnds {
 public:
  explicit RecordEnds(char separator) : separator_(separator) {}

  // Reads the next byte; returns true if it ends a record.
  bool add(char c);

 private:
  enum class Place { kBegin, kPlain, kQuoted, kAfterQuote };

  char separator_;
  Place place_ = Place::kBegin;
};

// Returns which of , ; tab and | separates the names in the first line: the one that makes one of the names the text's
// column, or else the one that gives the most names.
char separator_of(std::string_view first_line, std::string_view text_column);

class ColumnRecords {
 public:
  // separator: \0: use separator_of. file: its name in messages. The members are the columns' names; "id" and the
  // others are optional.
  ColumnRecords(char separator, RecordMembers members, std::string file);

  // Adds a line; returns true if it completes a record after the names. Throws InputError if there is no column for the
  // text, for a named pair or for the label, or if a name is duplicated.
  bool add(std::string_view line);
  bool has_names() const { return !names_.empty(); }                  // the first record was read
  bool is_within_quotes() const { return place_ == Place::kQuoted; }  // the record continues on the next line

  // Reads the record that the last line completed; item.error describes a malformed one. Adds the names of unused
  // columns to `unused`.
  void read(Item& item, std::set<std::string>& unused);

 private:
  enum class Place { kBegin, kPlain, kQuoted, kAfterQuote };  // the place in a field

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
  std::string problem_;  // the record's first error
};

}  // namespace bert::cli
