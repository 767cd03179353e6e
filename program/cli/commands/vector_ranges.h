// The range of each dimension of an embedding model's vectors, for 8-bit numbers: found on texts, kept in a file of
// JSON, {"texts": n, "least": [size], "greatest": [size]}. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bert/vectors.h"

namespace bert::cli {

// texts: how many the ranges are of. Throws OutputError.
void write_ranges(const std::string& file, const VectorRanges& ranges, size_t texts);

// Throws InputError for a file that is no such JSON, or whose ranges are of another size.
VectorRanges read_ranges(const std::string& file, size_t size);

// Numbers that are outside their dimension's range.
size_t count_outside(const VectorRanges& ranges, std::span<const float> vector);

}  // namespace bert::cli
