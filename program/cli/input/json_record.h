// One line of --jsonl. Stateless; safe to call from many threads.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/cli/input/input.h"

namespace bert::cli {

// The names of members that a command chooses.
struct RecordMembers {
  std::string text = "text";
  std::string pair = "pair";
  bool pair_is_named = false;  // by --pair-field: a file of columns must have it
  std::string label = {};      // a string or a number, which each line must have; empty: none is read
  const char* label_option = "--label-field";
  bool spans = false;                  // each line must have "spans", [[begin, end], …] in bytes of the text
  bool words = false;                  // a line may have "words", an array of strings, instead of a text
  std::vector<std::string> keep = {};  // members whose values go to the item's source
  // Those of all members do, in their order, the text's too; nothing but the id and the text is read of a record.
  bool keep_all = false;
};

// Fills the item's id and its text and pair, or its words, or its ids and type_ids, its label, its spans and its kept
// members; item.error describes a wrong line, and the id is kept if it could be read. Adds the names of unused members
// to `unused`.
void read_json_record(std::string_view line, const RecordMembers& members, Item& item, std::set<std::string>& unused);

}  // namespace bert::cli
