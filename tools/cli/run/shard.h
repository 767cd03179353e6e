// --shard I/N: the parts of an input file, of about equal size in bytes. Each begins with a line, or with a record of
// columns; together, in order, they are the file. They depend only on the file, how it is read, and N. Stateless.
#pragma once

#include <cstddef>
#include <string>

#include "tools/cli/input/input.h"

namespace bert::cli {

struct Shard {
  size_t number = 1;  // 1 to count
  size_t count = 1;
};

// Throws ValueError for text that is not "I/N".
Shard parse_shard(const std::string& text);

std::string shard_text(const Shard& shard);  // "I/N"

// Reads the file up to the part's beginning, to count the lines; of columns up to its end, to find the records.
// separator: of columns; \0: there are none. Throws InputError.
InputPart shard_part(const std::string& file, const Shard& shard, char separator = '\0');

}  // namespace bert::cli
