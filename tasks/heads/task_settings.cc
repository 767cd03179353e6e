#include "bert/task_settings.h"

#include <algorithm>
#include <utility>

#include "engine/base/joined.h"
#include "engine/base/json/json.h"
#include "engine/base/json/json_writer.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

constexpr std::string_view kTypes[] = {"flag", "size", "number", "word", "text", "texts"};
constexpr std::string_view kInputs[] = {"text", "text or pair", "text or words", "pair"};

[[noreturn]] void refuse_option(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

std::string range_of(const TaskOption& option) {
  const auto text = [](double bound) {
    std::string digits;
    append_number(digits, static_cast<float>(bound));
    return digits;
  };
  const std::string kind = option.type == OptionType::kSize ? "a whole number" : "a number";
  if (option.most == std::numeric_limits<double>::infinity()) return kind + " of at least " + text(option.least);
  return kind + " from " + text(option.least) + " to " + text(option.most);
}

std::string found(const OptionValue& value) {
  struct Shown {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(size_t size) const { return std::to_string(size); }
    std::string operator()(double number) const {
      std::string text;
      append_number(text, number);
      return text;
    }
    std::string operator()(const std::string& text) const { return quote(text, 60); }
    std::string operator()(const std::vector<std::string>&) const { return "a list"; }
  };
  return std::visit(Shown{}, value);
}

template <class Number>
bool is_in_range(const TaskOption& option, Number value) {
  return static_cast<double>(value) >= option.least && static_cast<double>(value) <= option.most;
}

// Returns whether the option accepts the value; converts a whole number if the option expects a number.
bool fits(const TaskOption& option, OptionValue& value) {
  switch (option.type) {
    case OptionType::kFlag:
      return std::holds_alternative<bool>(value);
    case OptionType::kSize:
      return std::holds_alternative<size_t>(value) && is_in_range(option, std::get<size_t>(value));
    case OptionType::kNumber:
      if (const auto* whole = std::get_if<size_t>(&value)) value = static_cast<double>(*whole);
      return std::holds_alternative<double>(value) && is_in_range(option, std::get<double>(value));
    case OptionType::kWord:
      return std::holds_alternative<std::string>(value) &&
             std::find(option.words.begin(), option.words.end(), std::get<std::string>(value)) != option.words.end();
    case OptionType::kText:
      return std::holds_alternative<std::string>(value);
    default:
      return std::holds_alternative<std::vector<std::string>>(value);
  }
}

// Returns nullopt if no option can have the value.
std::optional<OptionValue> value_of(const Json& json) {
  if (json.is_boolean()) return json.boolean();
  if (json.is_string()) return std::string(json.string());
  if (json.is_number()) {
    if (const auto whole = json.unsigned_integer()) return static_cast<size_t>(*whole);
    if (const auto number = json.number()) return *number;
  }
  if (!json.is_array()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Json element : json.elements()) {
    if (!element.is_string()) return std::nullopt;
    texts.emplace_back(element.string());
  }
  return texts;
}

using DefaultKey = std::pair<OptionType, std::string_view>;  // type and default of an option, as in the description

std::map<DefaultKey, OptionValue> read_defaults() {
  std::map<DefaultKey, OptionValue> values;
  for (const TaskDescription& task : tasks()) {
    for (const TaskOption& option : task.options) {
      if (option.by_default.empty()) continue;
      const JsonDocument read = parse_json(option.by_default, option.name);
      OptionValue value = value_of(read.root()).value_or(false);
      fits(option, value);
      values.emplace(DefaultKey(option.type, option.by_default), std::move(value));
    }
  }
  return values;
}

const OptionValue& default_of(const TaskOption& option) {
  static const std::map<DefaultKey, OptionValue> kDefaults = read_defaults();
  static const OptionValue kNone[] = {false, size_t{0}, 0.0, std::string(), std::string(), std::vector<std::string>()};
  if (option.by_default.empty()) return kNone[static_cast<size_t>(option.type)];
  return kDefaults.at({option.type, option.by_default});
}

void add_option(std::string& list, const TaskOption& option) {
  JsonWriter object;
  object.string("name", option.name);
  object.string("type", name(option.type));
  object.string("help", option.help);
  if (!option.by_default.empty()) object.member("default") += option.by_default;
  if (!option.words.empty()) {
    append_list(object.member("words"), option.words,
                [](std::string& text, std::string_view word) { append_string(text, word); });
  }
  if (option.type == OptionType::kSize || option.type == OptionType::kNumber) {
    object.number("least", option.least);
    if (option.most != std::numeric_limits<double>::infinity()) object.number("most", option.most);
  }
  if (!option.needs.empty()) object.string("needs", option.needs);
  if (!option.excludes.empty()) object.string("excludes", option.excludes);
  if (option.is_required) object.boolean("required", true);
  list += object.take();
}

}  // namespace

std::string_view name(OptionType type) { return kTypes[static_cast<size_t>(type)]; }

std::string_view name(TaskInput input) { return kInputs[static_cast<size_t>(input)]; }

const TaskDescription& task_named(std::string_view name) {
  for (const TaskDescription& task : tasks()) {
    if (task.name == name) return task;
  }
  refuse_option("task " + quote(name, 60) + ", expected one of " +
                joined(tasks(), ", ", [](const TaskDescription& task) { return task.name; }));
}

const TaskOption& option_named(const TaskDescription& task, std::string_view name) {
  for (const TaskOption& option : task.options) {
    if (option.name == name) return option;
  }
  const std::string known =
      task.options.empty()
          ? "none"
          : "one of " + joined(task.options, ", ", [](const TaskOption& option) { return option.name; });
  refuse_option("option " + quote(name, 60) + " of " + std::string(task.name) + ", expected " + known);
}

std::string expected_value(const TaskOption& option) {
  switch (option.type) {
    case OptionType::kFlag:
      return "true or false";
    case OptionType::kWord:
      return "one of " + joined(option.words, ", ");
    case OptionType::kText:
      return "a text";
    case OptionType::kTexts:
      return "a list of texts";
    default:
      return range_of(option);
  }
}

std::string tasks_json() {
  std::string text;
  append_list(text, tasks(), [](std::string& list, const TaskDescription& task) {
    JsonWriter object;
    object.string("name", task.name);
    object.string("help", task.help);
    object.string("reads", name(task.reads));
    object.string("gives", task.gives);
    object.boolean("ranks", task.ranks);
    append_list(object.member("options"), task.options, add_option);
    list += object.take();
  });
  return text;
}

void TaskSettings::set(std::string_view option, OptionValue value) {
  const TaskOption& known = option_named(*task_, option);
  if (!fits(known, value)) {
    refuse_option("option " + std::string(known.name) + ": found " + found(value) + ", expected " +
                  expected_value(known));
  }
  values_.insert_or_assign(std::string(known.name), std::move(value));
}

void TaskSettings::set_json(std::string_view json) {
  const JsonDocument document = [&] {
    try {
      return parse_json(json, "the options", {.dialect = JsonDialect::kSerde});
    } catch (const Error& error) {
      refuse_option(error.what());
    }
  }();
  if (!document.root().is_object())
    refuse_option("the options: found " + json_excerpt(document.root()) + ", expected an object");
  for (const JsonMember member : document.root().members()) {
    const TaskOption& known = option_named(*task_, member.key);
    if (member.value.is_null()) continue;
    std::optional<OptionValue> value = value_of(member.value);
    if (!value) {
      refuse_option("option " + std::string(known.name) + ": found " + json_excerpt(member.value) + ", expected " +
                    expected_value(known));
    }
    set(member.key, *std::move(value));
  }
}

void TaskSettings::check() const {
  for (const TaskOption& option : task_->options) {
    const std::string of = "option " + std::string(option.name) + " of " + std::string(task_->name);
    if (!has(option.name)) {
      if (option.is_required) refuse_option(of + " is missing, expected " + expected_value(option));
      continue;
    }
    if (!option.needs.empty() && !has(option.needs)) {
      refuse_option(of + " without " + std::string(option.needs) + ", expected both or none");
    }
    if (!option.excludes.empty() && has(option.excludes)) {
      refuse_option(of + " beside " + std::string(option.excludes) + ", expected one of them");
    }
  }
}

const OptionValue& TaskSettings::value(std::string_view option) const {
  const auto given = values_.find(option);
  return given != values_.end() ? given->second : default_of(option_named(*task_, option));
}

bool TaskSettings::flag(std::string_view option) const { return std::get<bool>(value(option)); }
size_t TaskSettings::size(std::string_view option) const { return std::get<size_t>(value(option)); }
double TaskSettings::number(std::string_view option) const { return std::get<double>(value(option)); }
std::string TaskSettings::text(std::string_view option) const { return std::get<std::string>(value(option)); }

std::vector<std::string> TaskSettings::texts(std::string_view option) const {
  return std::get<std::vector<std::string>>(value(option));
}

std::optional<size_t> TaskSettings::chosen_size(std::string_view option) const {
  return has(option) ? std::optional(size(option)) : std::nullopt;
}

std::optional<std::string> TaskSettings::chosen_text(std::string_view option) const {
  return has(option) ? std::optional(text(option)) : std::nullopt;
}

TextOptions text_options(const Model& model, const TaskCall& call, const TaskSettings& settings) {
  WindowOptions windows{.stride = settings.chosen_size("stride")};
  const auto long_text = settings.word<LongText>("long_text", kLongTextWords);
  if (settings.has("long_text")) windows.long_text = long_text;
  return text_options(model, call, windows, long_text);
}

TaskCallPtr make_call(const Model& model, const TaskSettings& settings) {
  settings.check();
  return settings.task().make(model, settings);
}

}  // namespace bert
