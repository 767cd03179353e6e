// --shard I/N: the parts of an input file, of about equal size in bytes. Each begins with a line; together, in order,
// they are the file. They depend only on the file and on N. Stateless.
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

// Reads the file up to the part's beginning, to count the lines. Throws InputError.
InputPart shard_part(const std::string& file, const Shard& shard);

}  // namespace bert::cli
