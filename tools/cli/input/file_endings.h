// What the ends of the files' names say: how an input is read, and the format of the output.
#pragma once

#include "tools/cli/options/options.h"

namespace bert::cli {

// --jsonl, --csv or --tsv, where the names of all --input end with .jsonl or .ndjson, .csv or .tsv, compressed or not.
// Throws UsageError if only some do, or for a file that no line can be read from.
void settle_input(Options& options);

// The format that the end of the output's name says, such as npy for vectors.npy, unless the command line has a
// --format. Throws UsageError if both differ, the command does not write it, or a terminal would get bytes.
void settle_format(Options& options, bool has_format);

}  // namespace bert::cli
