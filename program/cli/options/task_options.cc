#include "program/cli/options/task_options.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "program/cli/common.h"

namespace bert::cli {
namespace {

// Options whose command-line names differ; each is given once per text.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"hypothesis_template", "template"}, {"targets", "target"}, {"expressions", "expression"}};

std::string name_of(std::string_view option) {
  for (const auto& [name, of_program] : kNames) {
    if (name == option) return "--" + std::string(of_program);
  }
  return "--" + command_name(option);
}

bool is_repeated(const TaskOption& option) {
  return option.type == OptionType::kTexts &&
         std::any_of(std::begin(kNames), std::end(kNames), [&](const auto& one) { return one.first == option.name; });
}

std::string value_name(const TaskOption& option) {
  switch (option.type) {
    case OptionType::kSize:
      return "N";
    case OptionType::kNumber:
      return "X";
    case OptionType::kWord:
      return joined(option.words, "|");
    case OptionType::kTexts:
      return is_repeated(option) ? "TEXT" : "A,B,…";
    default:
      return "TEXT";
  }
}

std::string help_of(const TaskOption& option) {
  std::string help(option.help);
  if (option.type == OptionType::kFlag || option.by_default.empty()) return help;
  std::string value(option.by_default);
  if (option.type == OptionType::kWord) value = value.substr(1, value.size() - 2);
  return help + " (default: " + value + ")";
}

// Returns nullopt if the text is not a number.
template <class Number>
std::optional<OptionValue> number_of(const std::string& given) {
  Number number = 0;
  const auto [rest, status] = std::from_chars(given.data(), given.data() + given.size(), number);
  if (status != std::errc() || rest != given.data() + given.size()) return std::nullopt;
  return OptionValue(number);
}

std::optional<OptionValue> value_of(const TaskOption& option, const std::string& given) {
  if (option.type == OptionType::kSize) return number_of<size_t>(given);
  if (option.type == OptionType::kNumber) return number_of<double>(given);
  if (option.type != OptionType::kTexts) return given;
  std::vector<std::string> texts = comma_parts(given);
  if (std::find(texts.begin(), texts.end(), "") != texts.end()) return std::nullopt;
  return texts;
}

}  // namespace

std::string command_name(std::string_view task) {
  std::string name(task);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void declare_task(OptionTable& table, TaskSettings& settings, std::initializer_list<std::string_view> own) {
  for (const TaskOption& option : settings.task().options) {
    if (std::find(own.begin(), own.end(), option.name) != own.end()) continue;
    const std::string name = name_of(option.name);
    if (option.type == OptionType::kFlag) {
      const auto set = [&settings, &option](bool flag) {
        if (flag) settings.set(option.name, true);
      };
      table.flag(name, set, help_of(option));
      continue;
    }
    if (is_repeated(option)) {
      const auto set = [&settings, &option](const std::vector<std::string>& given) {
        settings.set(option.name, given);
      };
      table.values(name, value_name(option), set, help_of(option) + "; may be repeated");
      continue;
    }
    const auto set = [&settings, &option, name](const std::string& given) {
      std::optional<OptionValue> value = value_of(option, given);
      try {
        if (value) return settings.set(option.name, *std::move(value));
      } catch (const Error&) {
      }
      throw ValueError(name, in_quotes(given) + ": expected " + expected_value(option));
    };
    table.value(name, value_name(option), set, help_of(option));
  }
}

void check_task(const TaskSettings& settings, const Options& options) {
  if (settings.has("window_scores") && !options.has_windows()) {
    throw UsageError("--window-scores needs --long-text windows");
  }
  for (const TaskOption& option : settings.task().options) {
    if (!settings.has(option.name)) continue;
    const auto has = [&](std::string_view other) { return !other.empty() && settings.has(other); };
    if (!option.needs.empty() && !has(option.needs)) {
      throw UsageError(name_of(option.name) + " needs " + name_of(option.needs));
    }
    if (has(option.excludes)) throw UsageError(name_of(option.name) + " is not for " + name_of(option.excludes));
  }
}

}  // namespace bert::cli
