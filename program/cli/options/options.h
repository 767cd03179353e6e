// The options that commands share. Each is declared once, with its name, its help and its environment variable:
// BERT_INFER_ and the option's name in capitals. The command line has precedence over the environment.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bert/config.h"
#include "bert/model.h"
#include "bert/offsets.h"
#include "bert/windows.h"
#include "program/cli/input/text_decoder.h"
#include "program/cli/output/console.h"
#include "program/cli/output/output_format.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace bert::cli {

// Thrown for an invalid value of an option, on the command line or in the environment.
class ValueError : public UsageError {
 public:
  // option: "--format"; problem: "'x': expected one of text, json".
  ValueError(const std::string& option, const std::string& problem)
      : UsageError(option + " " + problem), option_(option), problem_(problem) {}

  const std::string& option() const { return option_; }
  const std::string& problem() const { return problem_; }

 private:
  std::string option_, problem_;
};

// The values of the options that several commands share. A command uses the groups that it declares.
struct Options {
  // The options that were given on the command line or in the environment, with their values.
  std::map<std::string, std::string> given;
  std::vector<std::string> texts;  // words of the command line that are neither options nor the command

  // model
  std::string model;              // empty: the built-in model
  bool model_is_bundled = false;  // no option names a model, and the program's own file contains one
  std::optional<std::string> revision;
  std::optional<std::string> task;
  std::string adapter;  // directory of an adapter (LoRA); empty: none
  StaticFile static_file = StaticFile::kConfig;
  bool cased = false;
  bool uncased = false;
  bool verbose = false;
  bool quiet = false;
  std::optional<size_t> threads;
  GemmProvider gemm = GemmProvider::kAuto;
  Precision precision = Precision::kStored;
  Packing packing = Packing::kAutomatic;
  bool ignore_unexpected = false;
  bool check_tensors = false;
  PositionChoice positions;
  std::optional<size_t> layers;                // use only this many first layers
  std::string encoder;                         // for a model that only names its encoder
  std::optional<size_t> max_words, max_width;  // for a GLiNER model

  // input
  std::vector<std::string> inputs;              // files of lines, - is standard input; empty: use `texts`
  bool skips_blank = false;                     // blank lines are not texts; the command reports them
  bool names_files = false;                     // results and messages name the file
  size_t files_left_out = 0;                    // files of directories that were skipped because of their endings
  size_t links_left_out = 0;                    // links of directories that lead to no file
  TextEncoding encoding = TextEncoding::kUtf8;  // of the inputs' bytes
  InvalidBytes invalid = InvalidBytes::kFail;
  bool jsonl = false;
  bool csv = false;
  bool tsv = false;
  char delimiter = '\0';                                    // of csv; \0: as in the first line
  bool has_records() const { return jsonl || csv || tsv; }  // false: each line is a text
  std::string field;                                        // name of the text in records; empty: "text"
  std::string text_member() const { return field.empty() ? "text" : field; }
  std::string pair_field;                      // name of the pair in records; empty: "pair"
  std::string label;                           // name of the label, which each record must have; empty: not read
  const char* label_option = "--label-field";  // the option for `label`
  bool spans = false;                          // read "spans" of JSON lines, which each line must have
  bool words = false;                          // read "words" of JSON lines instead of a text
  std::vector<std::string> pairs;
  bool keep_all = false;                    // copy all members of records, in order
  std::vector<std::string> keep;            // members of records to copy to the results
  std::vector<std::string> result_members;  // names of the command's results, which --keep must not repeat

  // tokens
  std::optional<size_t> max_length;
  std::optional<Truncation> truncation;
  std::optional<LongText> long_text;
  LongText long_text_by_default = LongText::kCut;
  std::optional<size_t> stride;
  // Returns what to do with texts that are too long: by --long-text, --stride, --truncation, or the command's default.
  LongText chosen_long_text() const;
  bool has_windows() const { return chosen_long_text() == LongText::kWindows; }
  std::optional<OffsetUnit> offset_unit;
  bool split_special_tokens = false;

  // batches
  std::optional<size_t> batch_tokens;

  // output
  std::string output;
  OutputFormat format = OutputFormat::kText;
  std::vector<OutputFormat> formats;  // formats that the command writes

  LoadOptions load_options() const;
};

// Returns the parts between commas; "a," has an empty part at the end.
std::vector<std::string> comma_parts(const std::string& given);

// Declares options on a command's CLI11 parser. CLI11 must not read texts, because it would parse "[CLS]" as a list.
class OptionTable {
 public:
  explicit OptionTable(CLI::App& app) : app_(app) {}

  // Sets the title, in the help, of the options declared next.
  void begin_group(const std::string& title) { group_ = title; }

  // Sets whether the options declared next are shared by many commands; returns the previous setting.
  bool set_shared(bool are_shared) { return std::exchange(are_shared_, are_shared); }
  const std::set<std::string>& shared() const { return shared_; }  // names of shared options

  // Each declares an option with a value, shown as `value_name` in the help. `name` begins with "--".
  void text(const std::string& name, std::string& target, const char* value_name, const std::string& help);
  void text(const std::string& name, std::optional<std::string>& target, const char* value_name,
            const std::string& help);
  // Declares a file that the command writes.
  void output_file(const std::string& name, std::string& target, const std::string& help);
  const std::set<std::string>& output_files() const { return output_files_; }
  void texts(const std::string& name, std::vector<std::string>& target, const char* value_name,
             const std::string& help);
  void number(const std::string& name, std::optional<size_t>& target, const std::string& help, size_t minimum = 0,
              size_t maximum = SIZE_MAX);

  void flag(const std::string& name, bool& target, const std::string& help);
  void flag(const std::string& name, const std::function<void(bool)>& set, const std::string& help);
  // Declares a value that `set` reads, or all values of an option that may be repeated; `set` throws ValueError.
  void value(const std::string& name, const std::string& value_name, const std::function<void(const std::string&)>& set,
             const std::string& help);
  void values(const std::string& name, const std::string& value_name,
              const std::function<void(const std::vector<std::string>&)>& set, const std::string& help);
  // Declares --name and --no-name.
  void on_or_off(const std::string& name, std::optional<bool>& target, const std::string& help);
  // Makes two flags exclude each other.
  void exclude(const std::string& one, const std::string& other);

  // Declares one of a few words, each with its value.
  template <class Value, class Target>
  void choice(const std::string& name, const std::vector<std::pair<std::string, Value>>& words, Target& target,
              const std::string& help) {
    std::vector<std::string> names;
    for (const auto& word : words) names.push_back(word.first);
    one_of(
        name, names, [words, &target](size_t index) { target = words[index].second; }, help);
  }
  // Declares several of a few words, separated by commas, each at most once; the order is kept.
  template <class Value>
  void choices(const std::string& name, const std::vector<std::pair<std::string, Value>>& words,
               std::vector<Value>& target, const std::string& help) {
    std::vector<std::string> names;
    for (const auto& word : words) names.push_back(word.first);
    const auto set = [words, &target](const std::vector<size_t>& indices) {
      target.clear();
      for (const size_t index : indices) target.push_back(words[index].second);
    };
    some_of(name, names, set, help);
  }
  // Declares names separated by commas, each at most once.
  void names(const std::string& name, std::vector<std::string>& target, const char* value_name,
             const std::string& help);
  // Declares a number above 0.
  void positive(const std::string& name, double& target, const std::string& help);
  // Declares a number above 0 and below 1.
  void fraction(const std::string& name, double& target, const std::string& help);
  // Declares a number above 0 and at most 1.
  void cosine(const std::string& name, double& target, const std::string& help);
  // Declares whole numbers, or ranges FIRST-LAST, separated by commas, each number at most once and at most `most`; the
  // result is ascending.
  void ranges(const std::string& name, size_t most, std::vector<size_t>& target, const std::string& help);
  // Declares numbers >= 0, separated by commas.
  void numbers(const std::string& name, std::vector<double>& target, const std::string& help);

  // Declares one of the values whose names name(value) returns.
  template <class Value, size_t count, class Target>
  void choice(const std::string& option, const Value (&values)[count], Target& target, const std::string& help) {
    std::vector<std::pair<std::string, Value>> words;
    for (const Value value : values) words.emplace_back(name(value), value);
    choice<Value>(option, words, target, help);
  }

 private:
  void one_of(const std::string& name, const std::vector<std::string>& words, const std::function<void(size_t)>& set,
              const std::string& help);
  void some_of(const std::string& name, const std::vector<std::string>& words,
               const std::function<void(const std::vector<size_t>&)>& set, const std::string& help);
  // Declares a number above 0 and below `limit`.
  void between(const std::string& name, double limit, double& target, const char* expected, const std::string& help);
  void place(CLI::Option* option, const std::string& name);

  CLI::App& app_;
  std::string group_;
  bool are_shared_ = false;
  std::set<std::string> shared_, output_files_;
};

void declare_model(OptionTable& table, Options& options);      // --model … --check-tensors
void declare_tokenizer(OptionTable& table, Options& options);  // options that need no weights
void declare_threads(OptionTable& table, Options& options);
void declare_unexpected(OptionTable& table, Options& options);  // --ignore-unexpected
void declare_positions(OptionTable& table, Options& options);   // --positions, --positions-at, for experiments

// The forms of a --jsonl line, for the help.
inline constexpr const char* kLoneTextLines = R"({"id", "text"})";
inline constexpr const char* kTextLines = R"({"id", "text", "pair"})";
inline constexpr const char* kTextOrWordsLines = R"({"id", "text"} or {"id", "words"})";
inline constexpr const char* kTextIdsOrWordsLines =
    R"({"id", "text", "pair"}, {"id", "words"} or {"id", "ids", "type_ids"})";
inline constexpr const char* kTextOrIdsLines = R"({"id", "text", "pair"} or {"id", "ids", "type_ids"})";
void declare_input(OptionTable& table, Options& options, const std::string& lines = kTextOrIdsLines);
// Declares what kind of records the input has, and where in them the texts are.
void declare_records(OptionTable& table, Options& options, const std::string& lines);

void declare_pair(OptionTable& table, Options& options);
// Declares --keep. own: the names of the results' members.
void declare_keep(OptionTable& table, Options& options, const std::vector<std::string>& own);
// Declares --max-length …
void declare_lengths(OptionTable& table, Options& options, const std::string& by_default = "what the model says");
void declare_truncation(OptionTable& table, Options& options);
// How a command reads texts that are too long.
struct LongTextChoice {
  const char* windows_become = nullptr;  // nullptr: the command reads no windows
  LongText by_default = LongText::kCut;
  const char* stride = "32, or half a window";  // the default, for the help
  bool may_cut = true;
};
void declare_long_text(OptionTable& table, Options& options, const LongTextChoice& choice = {});
// Declares --offsets.
void declare_offsets(OptionTable& table, Options& options);
void declare_batches(OptionTable& table, Options& options, const std::string& default_tokens = "2048");
void declare_output(OptionTable& table, Options& options, const std::vector<OutputFormat>& formats);

}  // namespace bert::cli
