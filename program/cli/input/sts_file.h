// Reads files of sentence pairs with a score, in the form of the STS benchmark.
#pragma once

#include <string>
#include <vector>

#include "bert/compare.h"

namespace bert::cli {

// Reads lines of tab-separated columns: the score is the fifth column, the sentences are the sixth and the seventh;
// further columns are ignored. There is no quoting. Throws InputError with the line, also for a file without pairs.
std::vector<RatedPair> read_sts(const std::string& name);

}  // namespace bert::cli
