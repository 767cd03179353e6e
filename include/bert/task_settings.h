// The tasks and their options by name. The program, the server and the bindings take their options, defaults, help and
// documents from this one description.
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

// The type of an option's value: true or false, a whole number, a number, one of several words, a text, several texts.
enum class OptionType { kFlag, kSize, kNumber, kWord, kText, kTexts };
BERT_API std::string_view name(OptionType type);  // "flag", "size", …

struct TaskOption {
  std::string_view name;
  OptionType type = OptionType::kFlag;
  std::string_view help;             // what the option does, without a final period
  std::string_view by_default = {};  // the default, as JSON; empty: none
  std::span<const std::string_view> words = {};
  double least = 0, most = std::numeric_limits<double>::infinity();  // the range of a number
  std::string_view needs = {};                                       // an option that this one has no effect without
  std::string_view excludes = {};                                    // an option that must not be set together with
                                                                     // this one
  bool is_required = false;
};

// What a task reads as one input.
enum class TaskInput { kText, kTextOrPair, kTextOrWords, kPair };
BERT_API std::string_view name(TaskInput input);  // "text", "text or pair", "text or words", "pair"

struct TaskDescription {
  std::string_view name;
  std::string_view help;
  TaskInput reads = TaskInput::kText;
  std::string_view gives;  // member_name of its output (bert/task_json.h)
  std::span<const TaskOption> options;
  TaskCallPtr (*make)(const Model& model, const TaskSettings& settings) = nullptr;
  bool ranks = false;  // its inputs are compared and sorted, best first
};

BERT_API std::span<const TaskDescription> tasks();
// Return the task or the option of this name. Throw Error(kInvalidArgument), which lists the known names.
BERT_API const TaskDescription& task_named(std::string_view name);
BERT_API const TaskOption& option_named(const TaskDescription& task, std::string_view name);
// Returns a description: "a whole number of at least 1", "one of none, simple", …
BERT_API std::string expected_value(const TaskOption& option);
// Returns tasks() as a JSON list of objects with the fields' names.
BERT_API std::string tasks_json();

using OptionValue = std::variant<bool, size_t, double, std::string, std::vector<std::string>>;

// The values of a task's options that the caller set. Setters are not thread-safe.
class BERT_API TaskSettings {
 public:
  explicit TaskSettings(std::string_view task) : task_(&task_named(task)) {}
  explicit TaskSettings(const TaskDescription& task) : task_(&task) {}

  const TaskDescription& task() const { return *task_; }

  // Sets an option. A size is accepted for a number, a text for a word. Throws Error(kInvalidArgument), which names the
  // option, for an unknown option, a value of another type, an unknown word and a number out of range.
  void set(std::string_view option, OptionValue value);
  // Sets the members of a JSON object; null leaves an option unset.
  void set_json(std::string_view json);
  // Throws Error(kInvalidArgument) if a required option is missing, if an option lacks one that it needs, or if two
  // options exclude each other.
  void check() const;

  bool has(std::string_view option) const { return values_.contains(option); }
  // Returns the value or the default; for an option without either: false, 0, "" or no texts.
  bool flag(std::string_view option) const;
  size_t size(std::string_view option) const;
  double number(std::string_view option) const;
  std::string text(std::string_view option) const;
  std::vector<std::string> texts(std::string_view option) const;
  // Returns the value; nullopt: not set.
  std::optional<size_t> chosen_size(std::string_view option) const;
  std::optional<std::string> chosen_text(std::string_view option) const;
  // Returns the enumerator with the value of the word's index among `words`.
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

// The words of enumerations, in the enumerators' order.
inline constexpr std::string_view kAggregationWords[] = {"none", "simple", "first", "average", "max"};
inline constexpr std::string_view kSchemeWords[] = {"auto", "iob", "bioes", "bilou"};
inline constexpr std::string_view kWindowScoreWords[] = {"mean", "largest"};
inline constexpr std::string_view kLongTextWords[] = {"cut", "windows", "error"};

// Returns the call of a task with these settings. Throws Error as check() and the functions of bert/task_calls.h do.
BERT_API TaskCallPtr make_call(const Model& model, const TaskSettings& settings);

// Returns how the task's texts are read: by the options "long_text" and "stride", and what the call needs. Throws
// Error(kInvalidArgument) for a stride without windows.
BERT_API TextOptions text_options(const Model& model, const TaskCall& call, const TaskSettings& settings);

}  // namespace bert
