// The manual page bert-infer(1), for man. Stateless; safe to call from many threads.
#pragma once

#include <span>
#include <string>

#include "program/cli/command_line/syntax.h"

namespace bert::cli {

// Returns the page in roff, UTF-8.
std::string manual_page(std::span<const CommandSyntax> commands);

}  // namespace bert::cli
