// A command's outputs are other files than its inputs, under whatever name: an output that takes the place of a file
// which the command also reads would be a loss that nobody notices.
#pragma once

#include <string>
#include <vector>

namespace bert::cli {

struct FileOption {
  std::string option;  // "--output", as the message names it
  std::string file;    // "" and "-" are no files, but standard output or input
};

// Throws UsageError if a file that is written is also read, written under another option, or one of the files that
// `models` are made of. A device such as /dev/null may have several outputs. models: directories or names; those that
// are not found are left to who loads them.
void check_written_files(const std::vector<FileOption>& written, const std::vector<FileOption>& read,
                         const std::vector<FileOption>& models);

}  // namespace bert::cli
