// The program's help: for all commands, and for one with its options, their environment variables and examples.
// Stateless; safe to call from many threads.
#pragma once

#include <string>

#include "program/cli/command_line/syntax.h"

namespace bert::cli {

// kOwn: a command's own options and --model, --input, --field and --output, and of some commands the name alone; kAll:
// also the options that many commands have, and all commands.
enum class HelpExtent { kOwn, kAll };
std::string overview_help(HelpExtent extent);
std::string command_help(const CommandSyntax& command, HelpExtent extent);

}  // namespace bert::cli
