// The tasks by name, with their options by name: the one description from which the program, the server and the
// bindings have their options, defaults, help and documents.
//
//   bert::TaskSettings settings("tag");
//   settings.set("aggregation", std::string("first"));
//   const bert::TaskCallPtr call = bert::make_call(model, settings);  // bert/task_calls.h
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bert/error.h"
#include "bert/export.h"
#include "bert/task_calls.h"

namespace bert {

class TaskSettings;

// What an option takes: true or false, a whole number, a number, one of a few words, a text, several texts.
enum class OptionType { kFlag, kSize, kNumber, kWord, kText, kTexts };
BERT_API std::string_view name(OptionType type);  // "flag", "size", …

struct TaskOption {
  std::string_view name;
  OptionType type = OptionType::kFlag;
  std::string_view help;             // what it says, without a final period
  std::string_view by_default = {};  // as JSON; empty: none
  std::span<const std::string_view> words = {};
  double least = 0, most = std::numeric_limits<double>::infinity();  // of numbers
  std::string_view needs = {};                                       // the option without which it says nothing
  std::string_view excludes = {};                                    // the option beside which it says nothing
  bool is_required = false;
};

// What is read as one input.
enum class TaskInput { kText, kTextOrPair, kTextOrWords, kPair };
BERT_API std::string_view name(TaskInput input);  // "text", "text or pair", "text or words", "pair"

struct TaskDescription {
  std::string_view name;
  std::string_view help;
  TaskInput reads = TaskInput::kText;
  std::string_view gives;  // member_name of its output (bert/task_json.h)
  std::span<const TaskOption> options;
  TaskCallPtr (*make)(const Model& model, const TaskSettings& settings) = nullptr;
  bool ranks = false;  // its inputs are compared: the best comes first
};

BERT_API std::span<const TaskDescription> tasks();
// Throws Error(kInvalidArgument) with the known names.
BERT_API const TaskDescription& task_named(std::string_view name);
BERT_API const TaskOption& option_named(const TaskDescription& task, std::string_view name);
// "a whole number of at least 1", "one of none, simple", …
BERT_API std::string expected_value(const TaskOption& option);
// tasks() as a JSON list of objects with the fields' names.
BERT_API std::string tasks_json();

using OptionValue = std::variant<bool, size_t, double, std::string, std::vector<std::string>>;

// The options of a task, as far as the caller chose them. Not thread-safe while they are set.
class BERT_API TaskSettings {
 public:
  explicit TaskSettings(std::string_view task) : task_(&task_named(task)) {}
  explicit TaskSettings(const TaskDescription& task) : task_(&task) {}

  const TaskDescription& task() const { return *task_; }

  // A whole number is also a number, a word is a text. Throws Error(kInvalidArgument), which names the option, for an
  // unknown option, a value of another type, an unknown word and a number out of range.
  void set(std::string_view option, OptionValue value);
  // The members of an object, of which null is none.
  void set_json(std::string_view json);
  // Throws Error(kInvalidArgument) without an option that is required, and for one without or beside another.
  void check() const;

  bool has(std::string_view option) const { return values_.contains(option); }
  // The value, or else the default; of an option without a default, false, 0, "" and no texts.
  bool flag(std::string_view option) const;
  size_t size(std::string_view option) const;
  double number(std::string_view option) const;
  std::string text(std::string_view option) const;
  std::vector<std::string> texts(std::string_view option) const;
  // The value, if there is one.
  std::optional<size_t> chosen_size(std::string_view option) const;
  std::optional<std::string> chosen_text(std::string_view option) const;
  // The enumerator whose place the word has among `words`.
  template <class Enum>
  Enum word(std::string_view option, std::span<const std::string_view> words) const {
    const std::string chosen = text(option);
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] == chosen) return static_cast<Enum>(i);
    }
    return Enum{};
  }

 private:
  const OptionValue& value(std::string_view option) const;

  const TaskDescription* task_;
  std::map<std::string, OptionValue, std::less<>> values_;
};

// The words of enumerations, in their order.
inline constexpr std::string_view kAggregationWords[] = {"none", "simple", "first", "average", "max"};
inline constexpr std::string_view kSchemeWords[] = {"auto", "iob", "bioes", "bilou"};
inline constexpr std::string_view kWindowScoreWords[] = {"mean", "largest"};
inline constexpr std::string_view kLongTextWords[] = {"cut", "windows", "error"};

// The task with these settings. Throws Error: check()'s, and those of the functions of bert/task_calls.h.
BERT_API TaskCallPtr make_call(const Model& model, const TaskSettings& settings);

// How its texts are read: the options "long_text" and "stride", and what the call needs. Throws Error(kInvalidArgument)
// for a stride without windows.
BERT_API TextOptions text_options(const Model& model, const TaskCall& call, const TaskSettings& settings);

}  // namespace bert
