#include "program/cli/command_line/command_line.h"

#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "bert/bundle.h"
#include "bert/model.h"
#include "program/cli/command_line/completion.h"
#include "program/cli/command_line/help.h"
#include "program/cli/command_line/licenses.h"
#include "program/cli/command_line/other_names.h"
#include "program/cli/command_line/syntax.h"
#include "program/cli/input/file_endings.h"
#include "program/cli/options/written_files.h"
#include "program/common/system_files.h"

namespace bert::cli {
namespace {

// A command and its option parser.
struct Prepared {
  const CommandEntry* entry;
  std::unique_ptr<Command> command;
  std::unique_ptr<CLI::App> app;
  std::set<std::string> shared;        // names of options that many commands have
  std::set<std::string> output_files;  // names of options whose values are files that the command writes
};

Prepared prepare(const CommandEntry& entry) {
  Prepared prepared{&entry, entry.make(), std::make_unique<CLI::App>(), {}, {}};
  prepared.app->set_help_flag();  // sort_words() handles help
  OptionTable table(*prepared.app);
  prepared.command->declare(table);
  prepared.shared = table.shared();
  prepared.output_files = table.output_files();
  return prepared;
}

// The commands' parsers, each created on first use, because creating all takes a millisecond.
class Parsers {
 public:
  Prepared& operator[](const CommandEntry& entry) {
    std::optional<Prepared>& prepared = all_[static_cast<size_t>(&entry - commands().data())];
    if (!prepared) prepared = prepare(entry);
    return *prepared;
  }

  // Returns whether an option of this command, or else of any other, takes a value.
  bool takes_value(const CommandEntry& entry, const std::string& name) {
    const auto find = [&](const CommandEntry& in) { return (*this)[in].app->get_option_no_throw(name); };
    const CLI::Option* option = find(entry);
    for (auto other = commands().begin(); option == nullptr && other != commands().end(); ++other) {
      option = find(*other);
    }
    if (option != nullptr) return option->get_expected_max() > 0;
    if (const auto meant = suggestion(name, option_names())) {
      throw UsageError("unknown option " + in_quotes(name) + "; did you mean " + *meant + "?");
    }
    throw UsageError("unknown option " + in_quotes(name) +
                     " (a text that begins with - goes after --; options are in bert-infer --help)");
  }

  // Returns the environment variables that set options.
  std::vector<std::string> variables() {
    std::vector<std::string> names;
    for_each_option([&](const CLI::Option& option) { names.push_back(option.get_envname()); });
    return names;
  }

 private:
  std::vector<std::string> option_names() {
    std::vector<std::string> names;
    for_each_option([&](const CLI::Option& option) {
      for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    });
    return names;
  }

  template <class Use>
  void for_each_option(const Use& use) {
    for (const CommandEntry& entry : commands()) {
      for (const CLI::Option* option : (*this)[entry].app->get_options()) use(*option);
    }
  }

  std::vector<std::optional<Prepared>> all_{commands().size()};
};

// The command line, split into options and texts, before a command's own rules apply.
struct Words {
  std::vector<std::string> option_names;  // as given: "--format"
  std::vector<std::string> option_words;  // options with their values, for CLI11
  std::vector<std::string> texts;
  const CommandEntry* entry = nullptr;  // null: no command is named
  // Returns the named command, or the default.
  const CommandEntry& command() const { return entry == nullptr ? commands().front() : *entry; }
  bool first_is_text = false;   // the first text follows "--"
  bool standard_input = false;  // "-"
  bool help = false;
  bool help_all = false;
  bool help_command = false;  // "help" or "help COMMAND"
  bool version = false;
  bool licenses = false;
  bool manual = false;
  std::optional<std::string> completion;  // the shell's name
};

bool is_file(const std::string& name) {
  std::error_code none;
  return std::filesystem::is_regular_file(name, none);
}

// Throws for a first word that is not a command here, but that people try, or that other programs expect before a file.
void refuse_as_command(const std::vector<std::string>& texts) {
  if (const std::string instead = instead_of(texts.front()); !instead.empty()) {
    throw UsageError("there is no command " + in_quotes(texts.front()) + ": " + instead + " (a text goes after --)");
  }
  if (texts.size() > 1 && is_file(texts[1])) {
    throw UsageError("there is no command " + in_quotes(texts.front()) + ", and " + in_quotes(texts[1]) +
                     " is a file, which --input reads (texts go after --)");
  }
}

// Takes a word that names the command, or is "help" before it; returns false for a text.
bool take_command(const std::string& word, Words& words) {
  if (words.entry != nullptr || !words.texts.empty()) return false;
  if (word == "help" && !words.help) {
    words.help = words.help_command = true;
    return true;
  }
  const auto all = commands();
  const auto entry = std::find_if(all.begin(), all.end(), [&](const auto& e) { return word == e.name; });
  if (entry != all.end()) words.entry = &*entry;
  if (words.entry == nullptr && word == "serve") refuse_as_command({word});  // before its options, which no command has
  return words.entry != nullptr;
}

Words sort_words(const std::vector<std::string>& arguments, Parsers& parsers) {
  Words words;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      words.first_is_text = words.texts.empty();
      words.texts.insert(words.texts.end(), arguments.begin() + static_cast<ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    const size_t equals = argument.find('=');
    const std::string name = full_name(argument.substr(0, equals));
    // The text after =, which may be empty, or else the next word, whatever its first character.
    const auto value = [&] {
      if (equals != std::string::npos) return argument.substr(equals + 1);
      if (++i == arguments.size()) throw UsageError(name + " needs a value");
      return arguments[i];
    };
    if (argument == "--help-all") {
      words.help = words.help_all = true;
    } else if (argument == "-h" || argument == "--help" || argument == "--version") {
      (argument == "--version" ? words.version : words.help) = true;
    } else if (argument == "--licenses") {
      words.licenses = true;
    } else if (argument == "--manual") {
      words.manual = true;
    } else if (name == "--completion") {
      words.completion = value();
    } else if (argument.size() > 1 && argument[0] == '-') {
      words.option_names.push_back(name);
      if (parsers.takes_value(words.command(), name)) {
        // Passed as two words, because for --name=, CLI11 would use the next word as the value.
        words.option_words.push_back(name);
        words.option_words.push_back(value());
        // Takes the other files that a shell's pattern expands to: --input notes/*.md
        while (name == "--input" && equals == std::string::npos && i + 1 < arguments.size() &&
               is_file(arguments[i + 1])) {
          words.option_names.push_back(name);
          words.option_words.insert(words.option_words.end(), {name, arguments[++i]});
        }
      } else {
        words.option_words.push_back(name + (equals == std::string::npos ? "" : argument.substr(equals)));
      }
    } else if (argument == "-" && words.command().name != std::string_view("neighbors")) {  // there "-" is a minus
      words.standard_input = true;
    } else if (!take_command(argument, words)) {
      words.texts.push_back(argument);
    }
  }
  return words;
}

// Returns the command that a word was probably meant to be.
std::optional<std::string> suggested_command(const std::string& word) {
  std::vector<std::string> names = {"help"};
  for (const CommandEntry& entry : commands()) names.emplace_back(entry.name);
  return suggestion(word, names);
}

std::string help_text(const Words& words, Parsers& parsers) {
  if (words.entry == nullptr && !words.texts.empty()) {
    const std::string& word = words.texts.front();
    const bool is_text = words.first_is_text || word.find(' ') != std::string::npos;
    if (words.help_command || !is_text) {
      refuse_as_command({word});
      const auto meant = suggested_command(word);
      throw UsageError("there is no command " + in_quotes(word) +
                       (meant ? "; did you mean " + *meant + "?" : " (bert-infer help lists them)"));
    }
  }
  const HelpExtent extent = words.help_all ? HelpExtent::kAll : HelpExtent::kOwn;
  if (words.entry == nullptr) return overview_help(extent);
  Prepared& prepared = parsers[*words.entry];
  return command_help(command_syntax(*words.entry, *prepared.app, prepared.shared), extent);
}

// Returns whether standard input has data although no option asks for it: a pipe or a file, not a terminal or
// /dev/null. Some programs start others with a socket instead of a pipe.
bool has_standard_input() {
  using std::filesystem::file_type;
  const auto facts = common::facts_of(STDIN_FILENO);
  return facts &&
         (facts->type == file_type::fifo || facts->type == file_type::regular || facts->type == file_type::socket);
}

// Makes standard input the command's --input if "-" is given, or if there is no text at all.
void settle_standard_input(const Words& words, const Prepared& chosen) {
  Options& options = chosen.command->options;
  const bool takes_input = chosen.app->get_option_no_throw("--input") != nullptr;
  if (words.standard_input) {
    const std::string command = chosen.entry->name;
    if (!takes_input) throw UsageError(command + " reads no standard input; the text '-' goes after --");
    if (!options.inputs.empty()) throw UsageError("both --input and -, which is standard input; give one");
    options.inputs = {"-"};
    return;
  }
  const bool takes_words = *chosen.entry->arguments != '\0';
  if (takes_input && takes_words && options.texts.empty() && options.inputs.empty() && has_standard_input()) {
    options.inputs = {"-"};
  }
}

// Uses the model in the program's own file instead of the built-in one.
void settle_model(const Prepared& chosen) {
  Options& options = chosen.command->options;
  if (!options.model.empty() || chosen.app->get_option_no_throw("--model") == nullptr) return;
  const std::optional<std::string> bundled = bundled_model();
  if (!bundled) return;
  options.model = *bundled;
  options.model_is_bundled = true;
}

std::map<std::string, std::string> given_options(const CLI::App& app) {
  std::map<std::string, std::string> given;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& value : option->results()) {
      std::string& values = given["--" + option->get_lnames().front()];
      values += (values.empty() ? "" : " ") + value;
    }
  }
  return given;
}

// Throws unless the files that the command writes differ from those that it reads, under any name.
void check_output_files(const Prepared& chosen, bool texts_are_files) {
  std::vector<FileOption> written, read, models;
  for (const CLI::Option* option : chosen.app->get_options()) {
    if (option->empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    std::vector<FileOption>* const group = chosen.output_files.contains(name)         ? &written
                                           : name == "--model" || name == "--adapter" ? &models
                                           : option->get_type_name() == "FILE"        ? &read
                                                                                      : nullptr;
    if (group == nullptr) continue;
    for (const std::string& value : option->results()) group->push_back({name, value});
  }
  if (written.empty()) return;
  const Options& options = chosen.command->options;
  for (const std::string& input : options.inputs) read.push_back({"--input", input});  // may be standard input
  if (texts_are_files) {
    for (const std::string& text : options.texts) read.push_back({"a FILE", text});
  }
  check_written_files(written, read, models);
}

// Returns whether the words are files.
bool takes_files(const Words& words, const CLI::App& options) {
  const CLI::Option* const merge = options.get_option_no_throw("--merge");
  return words.command().arguments == std::string_view("FILE") || (merge != nullptr && !merge->empty());
}

// Returns a note on a first word that was probably meant as a command, or as a file to read. Throws UsageError if more
// words follow a probable command, and as refuse_as_command does.
std::optional<std::string> note_on_first_text(const Words& words, const CLI::App& options) {
  if (words.texts.empty() || words.texts.front().find(' ') != std::string::npos) return std::nullopt;
  const std::string& text = words.texts.front();
  const auto meant = words.entry == nullptr && !words.first_is_text ? suggested_command(text) : std::nullopt;
  if (meant && words.texts.size() > 1) {
    throw UsageError("there is no command " + in_quotes(text) + "; did you mean " + *meant +
                     "? (texts that look like a command go after --)");
  }
  if (words.entry == nullptr && !words.first_is_text) refuse_as_command(words.texts);
  if (meant) {
    return in_quotes(text) + " is encoded as a text; did you mean the command " + *meant + "?";
  }
  const bool reads_files = options.get_option_no_throw("--input") != nullptr && !takes_files(words, options);
  if (!reads_files || !is_file(text)) return std::nullopt;
  return in_quotes(text) + " is read as a text, though there is such a file (--input reads it)";
}

bool has_variable(const CLI::App& app, const std::string& name) {
  const std::vector<const CLI::Option*> options = app.get_options();
  return std::any_of(options.begin(), options.end(), [&](const auto* option) { return option->get_envname() == name; });
}

// Returns notes on variables that are probably misspelled. Other unknown ones are ignored, because container systems
// set their own.
std::vector<std::string> notes_on_environment(const Prepared& chosen, Parsers& parsers) {
  std::vector<std::string> notes, known;
  for (char** variable = common::environment(); *variable != nullptr; ++variable) {
    const std::string_view both = *variable;
    const std::string name(both.substr(0, both.find('=')));
    if (!name.starts_with("BERT_INFER") || name == "BERT_INFER_ISA" || has_variable(*chosen.app, name)) continue;
    if (known.empty()) {
      known = parsers.variables();
      known.emplace_back("BERT_INFER_ISA");
    }
    if (const auto meant = suggestion(name, known)) {
      notes.push_back("the environment's " + in_quotes(name) + " is not read; did you mean " + *meant + "?");
    }
  }
  return notes;
}

void read_options(const Prepared& prepared, const Words& words) {
  const auto times = [&](const std::string& name) {
    return std::count(words.option_names.begin(), words.option_names.end(), name);
  };
  for (const std::string& name : words.option_names) {
    CLI::Option* const option = prepared.app->get_option_no_throw(name);
    if (option == nullptr) {
      const std::string instead = instead_of_option(prepared.entry->name, name);
      throw UsageError("the command " + std::string(prepared.entry->name) + " has no option " + name +
                       (instead.empty() ? "" : ": " + instead));
    }
    if (option->get_expected_max() == 1 && times(name) > 1) {
      throw UsageError(name + " is given " + std::to_string(times(name)) + " times, expected once");
    }
    for (CLI::Option* other : option->get_excludes()) other->envname("");  // the command line overrides the environment
    if (const std::string opposite = "--no-" + name.substr(2); times(opposite) > 0) {
      throw UsageError(name + " excludes " + opposite);
    }
  }
  try {
    prepared.app->parse(std::vector<std::string>(words.option_words.rbegin(), words.option_words.rend()));
  } catch (const ValueError& error) {
    const bool is_given = times(error.option()) > 0 || times("--no-" + error.option().substr(2)) > 0;
    if (is_given) throw;
    throw UsageError(prepared.app->get_option(error.option())->get_envname() + " " + error.problem());
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

CommandLine parse_command_line(int count, const char* const* arguments) {
  Parsers parsers;
  const Words words = sort_words(std::vector<std::string>(arguments + std::min(count, 1), arguments + count), parsers);
  if (words.version) return {nullptr, "bert-infer " + std::string(version()) + "\n", {}};
  if (words.licenses) return {nullptr, licenses_text(), {}};
  if (words.manual || words.completion) {
    std::vector<CommandSyntax> syntax;
    for (const CommandEntry& entry : commands()) {
      syntax.push_back(command_syntax(entry, *parsers[entry].app, parsers[entry].shared));
    }
    return {nullptr, words.manual ? manual_page(syntax) : completion_script(*words.completion, syntax), {}};
  }
  if (words.help) return {nullptr, help_text(words, parsers), {}};
  Prepared& chosen = parsers[words.command()];
  read_options(chosen, words);
  chosen.command->options.texts = words.texts;
  settle_model(chosen);
  settle_standard_input(words, chosen);
  const auto& given = words.option_names;
  settle_format(chosen.command->options, std::find(given.begin(), given.end(), "--format") != given.end());
  std::vector<std::string> notes = notes_on_environment(chosen, parsers);
  if (chosen.app->get_option_no_throw("--input") != nullptr) settle_input(chosen.command->options);
  chosen.command->options.given = given_options(*chosen.app);
  check_output_files(chosen, takes_files(words, *chosen.app));
  if (auto note = note_on_first_text(words, *chosen.app)) notes.push_back(std::move(*note));
  return {std::move(chosen.command), {}, std::move(notes)};
}

}  // namespace bert::cli
