// embed --merge: the outputs of all shards of one run become the output of a run without shards, byte for byte.
#pragma once

#include "program/cli/options/options.h"
#include "program/cli/output/console.h"

namespace bert::cli {

// options.texts: the outputs, in any order; beside each is its summary. Returns the exit status. Throws UsageError;
// Error for shards that are missing, of different runs, or not as their summaries say; OutputError.
int merge_shards(const Options& options, Console& console);

}  // namespace bert::cli
