#include "program/cli/command_line/completion.h"

#include "program/cli/common.h"

namespace bert::cli {
namespace {

std::string command_names(std::span<const CommandSyntax> commands, std::string_view separator) {
  return joined(commands, separator, [](const CommandSyntax& command) { return command.entry->name; });
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

bool is_path(const OptionSyntax& option) { return option.value == "FILE" || option.value == "DIR"; }

std::vector<std::string> option_names(const std::vector<OptionSyntax>& options) {
  std::vector<std::string> names;
  for (const OptionSyntax& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// ---- bash ----

constexpr char kBashBegin[] = R"(# bash completion of bert-infer; made by bert-infer --completion bash

_bert_infer() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= word
  COMPREPLY=()
  # bash takes --format=json for three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -- ]] && return
    case $word in
      @COMMANDS@) command=${command:-$word} ;;
    esac
  done
  case ${command:-@DEFAULT@}:$previous in
)";

constexpr char kBashMiddle[] = R"(  esac
  if [[ $current == -* ]]; then
    case ${command:-@DEFAULT@} in
)";

constexpr char kBashEnd[] = R"(    esac
  elif [[ -z $command ]]; then
    COMPREPLY=($(compgen -W '@WORDS@' -- "$current"))
  fi
}
complete -o default -F _bert_infer bert-infer
)";

std::string bash_values(const std::string& where, const OptionSyntax& option) {
  if (option.value.empty()) return "";
  std::string action = "return ;;\n";
  if (!option.choices.empty()) {
    action = "COMPREPLY=($(compgen -W '" + joined(option.choices, " ") + "' -- \"$current\")); return ;;\n";
  } else if (is_path(option)) {
    action = std::string("compopt -o filenames; mapfile -t COMPREPLY < <(compgen -") +
             (option.value == "DIR" ? "d" : "f") + " -- \"$current\"); return ;;\n";
  }
  const std::string patterns = joined(option.names, "|", [&](const std::string& name) { return where + ":" + name; });
  return "    " + patterns + ") " + action;
}

std::string bash_script(std::span<const CommandSyntax> commands) {
  std::string text = kBashBegin;
  for (const OptionSyntax& option : program_options()) text += bash_values("*", option);
  for (const CommandSyntax& command : commands) {
    for (const OptionSyntax& option : command.options) text += bash_values(command.entry->name, option);
  }
  text += kBashMiddle;
  for (const CommandSyntax& command : commands) {
    text += std::string("      ") + command.entry->name + ") COMPREPLY=($(compgen -W '" +
            joined(option_names(command.options), " ") + " " + joined(option_names(program_options()), " ") +
            "' -- \"$current\")) ;;\n";
  }
  text += kBashEnd;
  text = replaced(text, "@COMMANDS@", command_names(commands, "|"));
  text = replaced(text, "@WORDS@", command_names(commands, " "));
  return replaced(text, "@DEFAULT@", commands.front().entry->name);
}

// ---- zsh ----

constexpr char kZshBegin[] = R"(#compdef bert-infer
# zsh completion of bert-infer; made by bert-infer --completion zsh

_bert-infer_words() {
  local -a commands=(
)";

constexpr char kZshMiddle[] = R"(  )
  if [[ -z $named ]]; then
    _describe command commands
  else
    _files
  fi
}

_bert-infer() {
  local named= word
  for word in "${(@)words[2,CURRENT-1]}"; do
    case $word in
      (@COMMANDS@) named=${named:-$word} ;;
    esac
  done
  local -a options=(
)";

constexpr char kZshEnd[] = R"(  esac
  _arguments -S $options '*: :_bert-infer_words'
}

# As a file of fpath zsh runs this on the first completion; otherwise it is read by source.
if [[ ${funcstack[1]} == _bert-infer ]]; then
  _bert-infer "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _bert-infer bert-infer
fi
)";

// Escapes text in single quotes, where [ ] and : are special to _arguments.
std::string zsh_text(std::string text) {
  text = replaced(text, "\\", "\\\\");
  for (const char* special : {"[", "]", ":"}) text = replaced(text, special, std::string("\\") + special);
  return replaced(text, "'", "'\\''");
}

std::string zsh_option(const OptionSyntax& option, const std::string& indent) {
  std::string lines;
  for (const std::string& name : option.names) {
    // "*": options with a value may be repeated.
    lines += indent + "'" + (option.value == "TEXT" ? "*" : "") + name + (option.value.empty() ? "" : "=") + "[" +
             zsh_text(option.help) + "]";
    if (!option.value.empty()) lines += ":" + zsh_text(option.choices.empty() ? option.value : "value") + ":";
    if (!option.choices.empty()) lines += "(" + joined(option.choices, " ") + ")";
    if (is_path(option)) lines += option.value == "DIR" ? "_files -/" : "_files";
    lines += "'\n";
  }
  return lines;
}

std::string zsh_script(std::span<const CommandSyntax> commands) {
  std::string text = kZshBegin;
  for (const CommandSyntax& command : commands) {
    text += std::string("    '") + command.entry->name + ":" + replaced(command.entry->summary, "'", "'\\''") + "'\n";
  }
  text += kZshMiddle;
  for (const OptionSyntax& option : program_options()) text += zsh_option(option, "    ");
  text += "  )\n  case ${named:-@DEFAULT@} in\n";
  for (const CommandSyntax& command : commands) {
    text += std::string("    (") + command.entry->name + ") options+=(\n";
    for (const OptionSyntax& option : command.options) text += zsh_option(option, "      ");
    text += "    ) ;;\n";
  }
  text += kZshEnd;
  text = replaced(text, "@COMMANDS@", command_names(commands, "|"));
  return replaced(text, "@DEFAULT@", commands.front().entry->name);
}

// ---- fish ----

std::string fish_text(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_option(const OptionSyntax& option, const std::string& condition) {
  std::string lines;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    lines += "complete -c bert-infer" + condition + (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
    if (!option.choices.empty()) {
      lines += " -x -a " + fish_text(joined(option.choices, " "));
    } else if (option.value == "DIR") {
      lines += " -x -a '(__fish_complete_directories)'";
    } else if (option.value == "FILE") {
      lines += " -r -F";
    } else if (!option.value.empty()) {
      lines += " -x";
    }
    lines += " -d " + fish_text(option.help) + "\n";
  }
  return lines;
}

std::string fish_script(std::span<const CommandSyntax> commands) {
  std::string text = "# fish completion of bert-infer; made by bert-infer --completion fish\n";
  for (const CommandSyntax& command : commands) {
    text += "complete -c bert-infer -n __fish_use_subcommand -a " + std::string(command.entry->name) + " -d " +
            fish_text(command.entry->summary) + "\n";
  }
  for (const OptionSyntax& option : program_options()) text += fish_option(option, "");
  for (const CommandSyntax& command : commands) {
    // The first command is the default if none is named.
    const bool is_default = &command == &commands.front();
    const std::string names = is_default ? command_names(commands.subspan(1), " ") : command.entry->name;
    const std::string condition =
        " -n '" + std::string(is_default ? "not " : "") + "__fish_seen_subcommand_from " + names + "'";
    for (const OptionSyntax& option : command.options) text += fish_option(option, condition);
  }
  return text;
}

// ---- PowerShell ----

constexpr char kPowerShell[] = R"(# PowerShell completion of bert-infer; made by bert-infer --completion powershell

Register-ArgumentCompleter -Native -CommandName 'bert-infer', 'bert-infer.exe' -ScriptBlock {
  param($word, $line, $cursor)
  # Each command and its summary.
  $commands = @'
@COMMANDS@'@ -split '\r?\n' | ForEach-Object { , ($_ -split '\t') }
  # Each option: its command or *, its names, the values of which it takes one or "-" for any other, and its help.
  $options = @'
@OPTIONS@'@ -split '\r?\n' | ForEach-Object { , ($_ -split '\t') }

  $begin = ''
  function offer($text, $help) {
    if ($text.StartsWith($word, 'Ordinal')) {
      [System.Management.Automation.CompletionResult]::new($begin + $text, $text, 'ParameterValue', $help)
    }
  }

  $typed = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } |
    ForEach-Object { "$_" })
  if ($typed -ccontains '--') { return }
  $names = $commands | ForEach-Object { $_[0] }
  $named = $typed | Where-Object { $names -ccontains $_ } | Select-Object -First 1
  $command = if ($named) { $named } else { $names[0] }
  $option = if ($typed) { $typed[-1] } else { '' }
  if ($word -cmatch '^(--[^=]+)=(.*)') {
    $option = $Matches[1]
    $word = $Matches[2]
    $begin = "$option="
  }
  $options = $options | Where-Object { $_[0] -ceq '*' -or $_[0] -ceq $command }
  $values = $options | Where-Object { ($_[1] -split ' ') -ccontains $option } | ForEach-Object { $_[2] }
  # PowerShell offers files where this function offers nothing.
  if ($values) {
    if ($values -cne '-') { $values -split ' ' | ForEach-Object { offer $_ $_ } }
  } elseif ($word.StartsWith('-')) {
    $options | ForEach-Object { $help = $_[3]; $_[1] -split ' ' | ForEach-Object { offer $_ $help } }
  } elseif (-not $named) {
    $commands | ForEach-Object { offer $_[0] $_[1] }
  }
}
)";

std::string power_shell_option(const char* command, const OptionSyntax& option) {
  const std::string values = !option.choices.empty() ? joined(option.choices, " ") : option.value.empty() ? "" : "-";
  return std::string(command) + "\t" + joined(option.names, " ") + "\t" + values + "\t" + option.help + "\n";
}

std::string power_shell_script(std::span<const CommandSyntax> commands) {
  std::string summaries, options;
  for (const OptionSyntax& option : program_options()) options += power_shell_option("*", option);
  for (const CommandSyntax& command : commands) {
    summaries += std::string(command.entry->name) + "\t" + command.entry->summary + "\n";
    for (const OptionSyntax& option : command.options) options += power_shell_option(command.entry->name, option);
  }
  return replaced(replaced(kPowerShell, "@COMMANDS@", summaries), "@OPTIONS@", options);
}

}  // namespace

std::string completion_script(std::string_view shell, std::span<const CommandSyntax> commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  if (shell == "powershell") return power_shell_script(commands);
  throw UsageError("--completion " + in_quotes(shell) + ": expected one of bash, zsh, fish, powershell");
}

}  // namespace bert::cli
