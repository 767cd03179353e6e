// Checks that a command's outputs are not its inputs, under any name, because an output that replaces a file that the
// command also reads would destroy data unnoticed.
#pragma once

#include <string>
#include <vector>

namespace bert::cli {

struct FileOption {
  std::string option;  // "--output", for messages
  std::string file;    // "" and "-" are standard output or input, not files
};

// Throws UsageError if a file that is written is also read, written under another option, or one of the files of
// `models`. A device such as /dev/null may have several outputs. models: directories or names; those that are not found
// are left to the code that loads them.
void check_written_files(const std::vector<FileOption>& written, const std::vector<FileOption>& read,
                         const std::vector<FileOption>& models);

}  // namespace bert::cli
