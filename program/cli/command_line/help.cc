#include "program/cli/command_line/help.h"

#include <unistd.h>
#include <algorithm>
#include <utility>

#include "bert/model.h"
#include "program/cli/common.h"
#include "program/common/terminal.h"

namespace bert::cli {
namespace {

constexpr size_t kOptionColumns = 30;
constexpr size_t kCommandColumns = 17;
constexpr size_t kMostColumns = 96;
constexpr size_t kLeastColumns = 60;  // with less, the second column would have one word per line

// Returns the columns of the terminal that shows the help.
size_t line_columns() {
  const size_t columns = common::terminal_columns(STDOUT_FILENO);
  return columns == 0 ? kMostColumns : std::clamp(columns, kLeastColumns, kMostColumns);
}

constexpr char kOverview[] = R"(bert-infer: BERT encoders from the shell, with the reference's numbers.

Usage: bert-infer [COMMAND] [OPTIONS] TEXT…
       bert-infer [COMMAND] [OPTIONS] --input FILE
       ... | bert-infer [COMMAND] [OPTIONS]
       bert-infer help [COMMAND]

Commands (encode, where none is named):
)";

constexpr char kOverviewEnd[] = R"(
Without --model DIR the small English model inside the program is used. A text that begins with -
or that is a command's name goes after --. -m is --model, -i --input, -o --output; --top is --top-k.

Examples:
  bert-infer "The quick brown fox jumps over the lazy dog"
  bert-infer --model path/to/bert-base-uncased --format json "The quick brown fox"
  bert-infer embed --input texts.txt --format npy --output vectors.npy
  bert-infer tokenize "Tokenizers split unbelievable words"
  bert-infer similarity "A man is playing a guitar" "Someone plays an instrument"
  bert-infer inspect --model path/to/bert-base-uncased
)";

constexpr std::pair<CommandGroup, const char*> kGroups[] = {
    {CommandGroup::kCompute, "Compute"},         {CommandGroup::kRetrieve, "Retrieve"},
    {CommandGroup::kTrain, "Train and convert"}, {CommandGroup::kServe, "Fetch and serve"},
    {CommandGroup::kLearn, "Look into a model"}, {CommandGroup::kRare, "Rare"}};

// Returns whether each command's help has this shared option.
bool is_common(const OptionSyntax& option) {
  const std::string& name = option.names.front();
  return name == "--model" || name == "--input" || name == "--field" || name == "--output";
}

// Returns "--max-length N", "--normalize, --no-normalize".
std::string option_head(const OptionSyntax& option) {
  const std::string head = joined(option.names, ", ");
  return option.value.empty() ? head : head + " " + option.value;
}

// Returns the text of the second column, which begins at `begin`, wrapped at words.
std::string wrapped(const std::string& text, size_t begin) {
  static const size_t most = line_columns();
  std::string result;
  size_t column = begin;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (column > begin && column + 1 + display_width(word) > most) {
      result += "\n" + std::string(begin, ' ');
      column = begin;
    }
    if (column > begin) {
      result += ' ';
      ++column;
    }
    result += word;
    column += display_width(word);
  }
  return result;
}

std::string option_help(const OptionSyntax& option) {
  std::string head = "  " + option_head(option);
  const size_t width = display_width(head);
  head +=
      width + 2 > kOptionColumns ? "\n" + std::string(kOptionColumns, ' ') : std::string(kOptionColumns - width, ' ');
  const std::string variable = option.variable.empty() ? "" : " [" + option.variable + "]";
  return head + wrapped(option.help + variable, kOptionColumns) + "\n";
}

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

std::string overview_help(HelpExtent extent) {
  std::string text = kOverview;
  std::string named;  // commands that only --help-all describes
  for (const auto& [group, title] : kGroups) {
    std::string lines;
    for (const CommandEntry& entry : commands()) {
      if (entry.group != group) continue;
      if (extent == HelpExtent::kOwn && (group == CommandGroup::kLearn || group == CommandGroup::kRare)) {
        named += (named.empty() ? "" : ", ") + std::string(entry.name);
        continue;
      }
      std::string name = entry.name;
      name.resize(15, ' ');
      lines += "  " + name + wrapped(entry.summary, kCommandColumns) + "\n";
    }
    if (!lines.empty())
      text += " " + std::string(title) + "\n" + lines;  // a build without the server has an empty
                                                        // group
  }
  if (!named.empty()) text += " Look into a model, and more (--help-all describes them)\n  " + wrapped(named, 2) + "\n";
  text += "\nOptions of the program itself:\n";
  for (const OptionSyntax& option : program_options()) text += option_help(option);
  return text + kOverviewEnd;
}

std::string command_help(const CommandSyntax& command, HelpExtent extent) {
  const CommandEntry& entry = *command.entry;
  const std::string name = entry.name;
  const bool is_default = &entry == &commands().front();
  std::string text = "bert-infer " + name + ": " + entry.summary + ".\n\nUsage: bert-infer " +
                     (is_default ? "[" + name + "]" : name) + " [OPTIONS] " + entry.arguments + "\n";
  std::string group;
  bool has_more = false;
  for (const OptionSyntax& option : command.options) {
    if (extent == HelpExtent::kOwn && option.is_shared && !is_common(option)) {
      has_more = true;
      continue;
    }
    if (option.group != group) text += "\n" + option.group + ":\n";
    group = option.group;
    text += option_help(option);
  }
  if (has_more) text += "\nMore options, which many commands have: bert-infer " + name + " --help-all\n";
  return text +
         "\nEach option can be set by the environment variable in brackets; the command line wins.\n\nExamples:\n" +
         entry.examples + "\n";
}

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
