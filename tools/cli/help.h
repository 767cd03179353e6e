// The program's help: of all commands together, and of one with its options, their environment variables and examples.
// Stateless; safe to call from many threads.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "tools/cli/command.h"

namespace bert::cli {

std::string overview_help();

// `app`: the parser that the command's options were declared on.
std::string command_help(const CommandEntry& entry, const CLI::App& app);

}  // namespace bert::cli
