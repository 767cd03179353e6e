// Shell scripts that complete the program's commands, options and values. Stateless; safe to call from many threads.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "program/cli/command_line/syntax.h"

namespace bert::cli {

// `shell`: bash, zsh or fish; throws UsageError for others. The text ends with a newline.
std::string completion_script(std::string_view shell, std::span<const CommandSyntax> commands);

}  // namespace bert::cli
