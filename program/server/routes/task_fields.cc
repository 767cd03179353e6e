#include "program/server/routes/task_fields.h"

#include <string>

namespace bert::server {
namespace {

OptionValue value_of(const TaskOption& option, const Json& body, const std::string& field) {
  switch (option.type) {
    case OptionType::kFlag:
      return *optional_bool(body, field);
    case OptionType::kSize:
      return *optional_size(body, field, static_cast<size_t>(option.least));
    case OptionType::kNumber:
      return *optional_number(body, field, option.least, option.most);
    case OptionType::kWord:
      return *optional_word(body, field, option.words);
    case OptionType::kText:
      return required_string(body, field);
    case OptionType::kTexts:
      break;
  }
  return required_strings(body, field);
}

}  // namespace

TaskSettings settings_of(const Call& call) {
  std::vector<FieldName> names;
  for (const TaskOption* option : options_of(call.form)) names.push_back({option->name});
  return settings_of(call.body, call.form.task, names);
}

TaskSettings settings_of(const Json& body, std::string_view task, const std::vector<FieldName>& names) {
  TaskSettings settings(task);
  for (const bool depends : {false, true}) {  // options that depend on an option read in the first turn
    for (const auto& [name, translated] : names) {
      const std::string field(name);
      const TaskOption& option = option_named(settings.task(), translated.empty() ? name : translated);
      if ((option.needs.empty() && option.excludes.empty()) == depends) continue;
      if (!option.needs.empty() && !settings.has(option.needs)) continue;
      if (option.excludes == "labels" && settings.has("labels"))
        continue;  // the option applies only to a model's own
                   // labels
      if (option.is_required) required_field(body, field);
      if (optional_field(body, field) != nullptr) settings.set(option.name, value_of(option, body, field));
    }
  }
  return settings;
}

}  // namespace bert::server
