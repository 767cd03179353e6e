#include "program/server/routes/task_fields.h"

#include <string>
#include <vector>

namespace bert::server {
namespace {

struct OptionField {
  const TaskOption* option;
  std::string field;
};

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

TaskSettings read(const Json& body, std::string_view task, const std::vector<OptionField>& fields) {
  TaskSettings settings(task);
  for (const bool depends : {false, true}) {  // on an option that was read in the first turn
    for (const auto& [option, field] : fields) {
      if ((option->needs.empty() && option->excludes.empty()) == depends) continue;
      if (!option->needs.empty() && !settings.has(option->needs)) continue;
      if (!option->excludes.empty() && settings.has(option->excludes)) continue;
      if (option->is_required) required_field(body, field);
      if (optional_field(body, field) != nullptr) settings.set(option->name, value_of(*option, body, field));
    }
  }
  return settings;
}

}  // namespace

TaskSettings settings_of(const Call& call) {
  std::vector<OptionField> fields;
  for (const TaskOption* option : options_of(call.form)) fields.push_back({option, std::string(option->name)});
  return read(call.body, call.form.task, fields);
}

TaskSettings settings_of(const Json& body, std::string_view task, std::initializer_list<FieldName> names) {
  std::vector<OptionField> fields;
  for (const auto& [field, option] : names) {
    fields.push_back({&option_named(task_named(task), option), std::string(field)});
  }
  return read(body, task, fields);
}

}  // namespace bert::server
