// --shard I/N: divides an input file into N parts of about equal size in bytes. A part begins where a line begins, or,
// with columns, where a record begins. Joined in order, the parts are the file; a part may be empty. They depend only
// on the file, N, and the separator of columns. Stateless.
#pragma once

#include <cstddef>
#include <string>

#include "program/cli/input/input.h"

namespace bert::cli {

struct Shard {
  size_t number = 1;  // 1 to count
  size_t count = 1;
};

// Parses "I/N". Throws ValueError for another text, and unless I is from 1 to N.
Shard parse_shard(const std::string& text);

std::string shard_text(const Shard& shard);  // "I/N"

// Returns where this part begins and ends, and how many lines come before it. separator: between columns; '\0': the
// file has lines. Reads the file from its beginning: to the part's beginning for lines, to its end for columns. Throws
// InputError if the file is not a regular file or cannot be read.
InputPart shard_part(const std::string& file, const Shard& shard, char separator = '\0');

}  // namespace bert::cli
