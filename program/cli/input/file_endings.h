// Decides by the endings of file names how an input is read, and the format of the output.
#pragma once

#include "program/cli/options/options.h"

namespace bert::cli {

// Sets options.jsonl, csv or tsv if none is set and the names of all inputs end with .jsonl or .ndjson, .csv, or .tsv
// (.gz or .zst may follow). Replaces a directory by its files. Throws UsageError if none is set and the endings are of
// different kinds, or if a file is named .parquet, .arrow, .feather, or .json without an option that says that it has
// objects; its message names the option.
void settle_input(Options& options, const std::string& option = "--input");

// Sets options.format by the ending of the output's name: npy for vectors.npy; unchanged for no ending, .txt and
// similar ones. has_format: the command line has a --format. Throws UsageError if the ending and --format differ, if
// the ending is unknown and there is no --format, if the command does not write the format, or if a terminal would get
// binary data.
void settle_format(Options& options, bool has_format);

}  // namespace bert::cli
