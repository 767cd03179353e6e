// The program's commands and options as data, read from the table of commands and from their declarations: the common
// source of the help, the manual page and the shells' completions, so they always agree. Stateless; safe to call from
// many threads.
#pragma once

#include <CLI/App.hpp>
#include <set>
#include <string>
#include <vector>

#include "program/cli/command.h"

namespace bert::cli {

struct OptionSyntax {
  std::vector<std::string> names;    // "--normalize", "--no-normalize"
  std::string value;                 // "N", "FILE", "text|json"; empty: takes none
  std::vector<std::string> choices;  // of the value, if it is one of a few words
  std::string help;
  std::string variable;  // of the environment
  std::string group;
  bool is_shared = false;  // by many commands: --help-all has it, --help has not
};

struct CommandSyntax {
  const CommandEntry* entry;
  std::vector<OptionSyntax> options;  // group by group, as declared
};

// app: the parser with the command's options;  shared: the names of those that many commands have.
CommandSyntax command_syntax(const CommandEntry& entry, const CLI::App& app, const std::set<std::string>& shared);

// Options of the program itself, valid alone or with any command.
const std::vector<OptionSyntax>& program_options();

}  // namespace bert::cli
