// What the ends of the files' names say: how an input is read, and the format of the output.
#pragma once

#include "program/cli/options/options.h"

namespace bert::cli {

// Sets options.jsonl, csv or tsv if none is set and the names of all inputs end with .jsonl or .ndjson, .csv, or
// .tsv (.gz or .zst may follow). Throws UsageError if none is set and the endings are of different kinds, or if a file
// is named .parquet, .arrow, .feather, or .json and not said to have objects. The files of a directory take its place.
void settle_input(Options& options);

// Sets options.format from the ending of the output's name: npy for vectors.npy; no ending, .txt and the like: keeps
// it. has_format: the command line has a --format. Throws UsageError if the ending and --format differ, the ending is
// unknown and there is no --format, the command does not write the format, or a terminal would get binary data.
void settle_format(Options& options, bool has_format);

}  // namespace bert::cli
