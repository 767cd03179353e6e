#include "program/cli/command_line/syntax.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace bert::cli {
namespace {

std::vector<std::string> choices_of(const std::string& value) {
  std::vector<std::string> words;
  if (value.find('|') == std::string::npos) return words;
  for (size_t begin = 0; begin <= value.size();) {
    const size_t end = std::min(value.find('|', begin), value.size());
    words.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

OptionSyntax option_syntax(const CLI::Option& option) {
  OptionSyntax syntax;
  for (const std::string& name : option.get_lnames()) syntax.names.push_back("--" + name);
  if (option.get_expected_max() > 0) syntax.value = option.get_type_name();
  syntax.choices = choices_of(syntax.value);
  syntax.help = option.get_description();
  syntax.variable = option.get_envname();
  syntax.group = option.get_group();
  return syntax;
}

}  // namespace

CommandSyntax command_syntax(const CommandEntry& entry, const CLI::App& app, const std::set<std::string>& shared) {
  CommandSyntax syntax{&entry, {}};
  for (const std::string& group : app.get_groups()) {
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group && !option->get_envname().empty()) {
        syntax.options.push_back(option_syntax(*option));
        syntax.options.back().is_shared = shared.contains(syntax.options.back().names.front());
      }
    }
  }
  return syntax;
}

const std::vector<OptionSyntax>& program_options() {
  static const std::vector<OptionSyntax> options = {
      {{"--help", "-h"},
       "",
       {},
       "the commands; after a command: its options, their variables, examples; also help, help COMMAND",
       "",
       ""},
      {{"--help-all"}, "", {}, "all commands; after a command: also the options that many commands have", "", ""},
      {{"--version"}, "", {}, "the program's version", "", ""},
      {{"--licenses"}, "", {}, "the licences of all that is in the program", "", ""},
      {{"--manual"}, "", {}, "the whole manual page, as man reads it", "", ""},
      {{"--completion"},
       "bash|zsh|fish|powershell",
       {"bash", "zsh", "fish", "powershell"},
       "what a shell needs to complete this program",
       "",
       ""},
  };
  return options;
}

}  // namespace bert::cli
