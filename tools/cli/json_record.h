// One line of --jsonl. Stateless; safe to call from many threads.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "tools/cli/input.h"

namespace bert::cli {

// Fills the item's id and its text and pair, or its ids and type_ids; item.error describes a wrong line, and the id is
// kept if it could be read. text_member: the name of the text's member. Adds the names of unused members to `unused`.
void read_json_record(std::string_view line, const std::string& text_member, Item& item, std::set<std::string>& unused);

}  // namespace bert::cli
