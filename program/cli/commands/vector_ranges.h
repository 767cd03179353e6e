// The range of each dimension of an embedding model's vectors, for 8-bit numbers. It is found on texts and stored in a
// JSON file, {"texts": n, "least": [size], "greatest": [size]}. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bert/vectors.h"

namespace bert::cli {

// Writes the file. texts: how many texts the ranges were found on. Throws OutputError.
void write_ranges(const std::string& file, const VectorRanges& ranges, size_t texts);

// Reads the file. Throws InputError for other JSON, and for ranges of another size.
VectorRanges read_ranges(const std::string& file, size_t size);

// Returns how many numbers are outside their dimension's range.
size_t count_outside(const VectorRanges& ranges, std::span<const float> vector);

}  // namespace bert::cli
