// Parses argv to a command with its options. Words and options are separated here, and CLI11 reads only the options: a
// text may be "[CLS]", which CLI11 would split as a list, and only the first word can be a command's name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "program/cli/command.h"

namespace bert::cli {

struct CommandLine {
  std::unique_ptr<Command> command;  // null: only print `text`
  std::string text;                  // the output of --help, --version, --licenses, --manual or --completion
  std::vector<std::string> notes;    // about arguments that are probably mistakes
};

// Throws UsageError. Reads the environment for options that are not on the command line.
CommandLine parse_command_line(int count, const char* const* arguments);

}  // namespace bert::cli
