// The program's help: for all commands, and for one with its options, their environment variables and examples; and its
// manual page.
// Stateless; safe to call from many threads.
#pragma once

#include <span>
#include <string>

#include "program/cli/command_line/syntax.h"

namespace bert::cli {

// kOwn: a command's own options, with --model, --input, --field and --output; of some commands only the name. kAll:
// also the options that many commands share, and all commands.
enum class HelpExtent { kOwn, kAll };
std::string overview_help(HelpExtent extent);
std::string command_help(const CommandSyntax& command, HelpExtent extent);

// Returns the manual page bert-infer(1), for man, in roff, UTF-8.
std::string manual_page(std::span<const CommandSyntax> commands);

}  // namespace bert::cli
