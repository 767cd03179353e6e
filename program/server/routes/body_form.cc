#include "program/server/routes/body_form.h"

#include <algorithm>

#include "engine/base/json/json_writer.h"

namespace bert::server {
namespace {

constexpr FieldType kItem{.name = "string"};

FieldType type_of(const TaskOption& option) {
  constexpr std::string_view kNames[] = {"boolean", "integer", "number", "string", "string", "array"};
  FieldType type{.name = kNames[static_cast<size_t>(option.type)], .words = option.words};
  if (option.type == OptionType::kTexts) type.items = &kItem;
  if (option.type != OptionType::kSize && option.type != OptionType::kNumber) return type;
  type.least = option.least;
  type.most = option.most;
  return type;
}

void add_fields(JsonWriter& schema, const std::vector<Field>& fields) {
  std::vector<std::string> required, one_of;
  JsonWriter properties;
  for (const Field& field : fields) {
    properties.member(field.name) += schema_of(field.type);
    if (field.need == Need::kRequired) required.emplace_back(field.name);
    if (field.need == Need::kOneOf) one_of.emplace_back(field.name);
  }
  if (!required.empty()) schema.strings("required", required);
  if (!one_of.empty()) {
    append_list(schema.member("anyOf"), one_of, [](std::string& out, const std::string& name) {
      JsonWriter one;
      one.strings("required", {name});
      out += one.take();
    });
  }
  schema.member("properties") += properties.take();
}

}  // namespace

std::vector<const TaskOption*> options_of(const BodyForm& form) {
  std::vector<const TaskOption*> options;
  if (form.task.empty()) return options;
  for (const TaskOption& option : task_named(form.task).options) {
    if (std::ranges::find(form.left_out, option.name) == form.left_out.end()) options.push_back(&option);
  }
  return options;
}

std::vector<Field> fields_of(const BodyForm& form) {
  std::vector<Field> fields(form.fields.begin(), form.fields.end());
  for (const TaskOption* option : options_of(form)) {
    fields.push_back({option->name, type_of(*option), option->is_required ? Need::kRequired : Need::kNone});
  }
  return fields;
}

std::string schema_of(const FieldType& type) {
  JsonWriter schema;
  if (type.name.empty()) {
    const auto types = std::span(type.either).first(type.either.size() - std::ranges::count(type.either, nullptr));
    append_list(schema.member("oneOf"), types, [](std::string& out, const FieldType* one) { out += schema_of(*one); });
    return schema.take();
  }
  schema.string("type", type.name);
  if (!type.words.empty()) schema.strings("enum", {type.words.begin(), type.words.end()});
  if (type.least > -FieldType::kUnbounded) schema.number("minimum", type.least);
  if (type.most < FieldType::kUnbounded) schema.number("maximum", type.most);
  if (type.items != nullptr) schema.member("items") += schema_of(*type.items);
  if (type.form != nullptr && !type.form->fields.empty()) add_fields(schema, fields_of(*type.form));
  return schema.take();
}

}  // namespace bert::server
