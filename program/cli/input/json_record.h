// Reads one line of --jsonl. Stateless; safe to call from many threads.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/cli/input/input.h"

namespace bert::cli {

// The names of the members that a command reads.
struct RecordMembers {
  std::string text = "text";
  std::string pair = "pair";
  bool pair_is_named = false;  // --pair-field is given: a file of columns must have this column
  std::string label = {};      // each line must have it, a string or a number; empty: not read
  const char* label_option = "--label-field";
  bool spans = false;                  // each line must have "spans", [[begin, end], …] in bytes of the text
  bool words = false;                  // a line may have "words", an array of strings, instead of a text
  std::vector<std::string> keep = {};  // members that are copied to the item's source
  // Copy all members, in order, also the text; only the id and the text of a record are then interpreted.
  bool keep_all = false;
};

// Reads a line into the item: id; text and pair, words, or ids and type_ids; label, spans and kept members. item.error
// describes a malformed line; the id is set if it could be read. Adds the names of unused members to `unused`.
void read_json_record(std::string_view line, const RecordMembers& members, Item& item, std::set<std::string>& unused);

}  // namespace bert::cli
