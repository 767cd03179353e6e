// The program's commands and options as data, from the table of commands and their declarations. Help, manual page and
// completions are made from this data, so they always agree. Stateless; safe to call from many threads.
#pragma once

#include <CLI/App.hpp>
#include <set>
#include <string>
#include <vector>

#include "program/cli/command.h"

namespace bert::cli {

struct OptionSyntax {
  std::vector<std::string> names;    // "--normalize", "--no-normalize"
  std::string value;                 // "N", "FILE", "text|json"; empty: the option takes no value
  std::vector<std::string> choices;  // the possible values, if there are only a few words
  std::string help;
  std::string variable;  // environment variable
  std::string group;
  bool is_shared = false;  // many commands have it: shown by --help-all, not by --help
};

struct CommandSyntax {
  const CommandEntry* entry;
  std::vector<OptionSyntax> options;  // in the order of the groups, as declared
};

// app: the parser with the command's options;  shared: the names of the options that many commands have.
CommandSyntax command_syntax(const CommandEntry& entry, const CLI::App& app, const std::set<std::string>& shared);

// Returns the options of the program itself, which are valid alone or with any command.
const std::vector<OptionSyntax>& program_options();

}  // namespace bert::cli
