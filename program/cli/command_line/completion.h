// Shell scripts that complete the program's commands, options and values. Stateless; safe to call from many threads.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "program/cli/command_line/syntax.h"

namespace bert::cli {

// Returns the script for `shell`: bash, zsh, fish or powershell; throws UsageError for other shells. The text ends with
// a newline.
std::string completion_script(std::string_view shell, std::span<const CommandSyntax> commands);

}  // namespace bert::cli
