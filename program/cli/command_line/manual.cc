#include "program/cli/command_line/manual.h"

#include <cctype>

#include "bert/model.h"
#include "program/cli/common.h"

namespace bert::cli {
namespace {

// Returns text that roff prints literally: lines are not requests, hyphens are not dashes, backslashes are not escapes.
std::string plain(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }

std::string example(std::string_view lines) { return ".PP\n.nf\n" + plain(lines) + "\n.fi\n"; }

std::string option_entry(const OptionSyntax& option) {
  std::string head = joined(option.names, ", ", bold);
  if (!option.value.empty()) head += " " + (option.choices.empty() ? italic(option.value) : plain(option.value));
  std::string text = ".TP\n" + head + "\n" + plain(option.help);
  if (!option.variable.empty()) text += " [" + option.variable + "]";
  return text + "\n";
}

std::string command_entry(const CommandSyntax& command, bool is_default) {
  const std::string name = command.entry->name;
  std::string text = ".SS " + name + "\n" + plain(command.entry->summary) + ".\n.PP\n" + bold("bert-infer") + " " +
                     (is_default ? "[" + bold(name) + "]" : bold(name)) + " [" + italic("OPTIONS") + "] " +
                     italic(command.entry->arguments) + "\n";
  std::string group;
  for (const OptionSyntax& option : command.options) {
    if (option.group != group) text += ".PP\n" + plain(option.group) + ":\n";
    group = option.group;
    text += option_entry(option);
  }
  return text + ".PP\nExamples:\n" + example(command.entry->examples);
}

}  // namespace

std::string manual_page(std::span<const CommandSyntax> commands) {
  std::string text = ".\\\" Made by bert-infer --manual.\n.TH BERT\\-INFER 1 \"\" \"bert-infer " +
                     std::string(version()) +
                     "\" \"User Commands\"\n.SH NAME\nbert\\-infer \\- BERT encoders from the shell\n.SH SYNOPSIS\n" +
                     bold("bert-infer") + " [" + italic("COMMAND") + "] [" + italic("OPTIONS") + "] " +
                     italic("TEXT…") + "\n.br\n" + bold("bert-infer") + " [" + italic("COMMAND") + "] [" +
                     italic("OPTIONS") + "] " + bold("--input") + " " + italic("FILE") + "\n";
  text += ".SH DESCRIPTION\n" +
          plain(
              "Runs BERT encoders on texts and prints token representations, pooled outputs, sentence embeddings and "
              "what else the commands below name, with the reference's numbers.\n"
              "Without --model the small English model inside the program is used.\n"
              "Where no command is named, ") +
          bold(commands.front().entry->name) +
          plain(" is meant.\nA text that begins with - or that is a command's name goes after --.\n");
  for (const OptionSyntax& option : program_options()) text += option_entry(option);
  text += ".SH COMMANDS\n";
  for (const CommandSyntax& command : commands) text += command_entry(command, &command == &commands.front());
  text +=
      ".SH ENVIRONMENT\nEach option of a command can be set by the variable that stands behind it in brackets; the "
      "command line wins.\n.TP\n" +
      bold("NO_COLOR") + "\nno colours on a terminal\n.TP\n" + bold("HF_HUB_CACHE") + ", " + bold("HF_HOME") + ", " +
      bold("XDG_CACHE_HOME") + "\nwhere the hub's local cache is\n.TP\n" + bold("BERT_INFER_ISA") +
      "\nportable, avx2, avxvnni, avx512, avx512vnni, avx512bf16, amx, neon, dotprod, i8mm, simd128 or relaxed: only "
      "the features "
      "of that name "
      "are used, where the CPU has them; the numbers stay the same\n";
  text +=
      ".SH EXIT STATUS\n.TP\n0\neverything requested was done\n.TP\n1\na text, a file or the output "
      "failed, or the model does not have what was requested; with several texts the others were done\n.TP\n2\nthe "
      "command line alone is wrong\n";
  return text;
}

}  // namespace bert::cli
