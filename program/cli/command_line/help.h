// The program's help: for all commands, and for one with its options, their environment variables and examples.
// Stateless; safe to call from many threads.
#pragma once

#include <string>

#include "program/cli/command_line/syntax.h"

namespace bert::cli {

std::string overview_help();

// kOwn: the command's own options and --model, --input and --output; kAll: also those that many commands have.
enum class HelpExtent { kOwn, kAll };
std::string command_help(const CommandSyntax& command, HelpExtent extent);

}  // namespace bert::cli
