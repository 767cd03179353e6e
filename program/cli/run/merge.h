// embed --merge: joins the outputs of all shards of a run to the output of a run without shards, byte for byte.
#pragma once

#include "program/cli/options/options.h"
#include "program/cli/output/console.h"

namespace bert::cli {

// options.texts: the outputs, in any order; each has its summary beside it. Returns the exit status. Throws UsageError;
// Error for shards that are missing, that belong to different runs, or that do not match their summaries; OutputError.
int merge_shards(const Options& options, Console& console);

}  // namespace bert::cli
