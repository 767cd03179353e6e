#include "tasks/writing/changed_config.h"

#include <algorithm>

namespace bert {
namespace {

void append_json(const Json& value, std::string& text) {
  const char* separator = "";
  switch (value.kind()) {
    case JsonKind::kNull:
      text += "null";
      break;
    case JsonKind::kFalse:
    case JsonKind::kTrue:
      text += value.boolean() ? "true" : "false";
      break;
    case JsonKind::kNumber:
      text += value.string();
      break;
    case JsonKind::kString:
      text += json_string(value.string());
      break;
    case JsonKind::kArray:
      text += '[';
      for (const Json element : value.elements()) {
        text += separator;
        append_json(element, text);
        separator = ", ";
      }
      text += ']';
      break;
    case JsonKind::kObject:
      text += '{';
      for (const auto& [key, member] : value.members()) {
        text += separator + json_string(key) + ": ";
        append_json(member, text);
        separator = ", ";
      }
      text += '}';
      break;
  }
}

}  // namespace

std::string json_text(const Json& value) {
  std::string text;
  append_json(value, text);
  return text;
}

std::string changed_config(const Json& config, const ConfigMembers& members) {
  std::string text;
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "{\n  " : ",\n  ") + json_string(std::string(key)) + ": " + value;
  };
  for (const auto& [key, value] : members) add(key, value);
  for (const auto& [key, value] : config.members()) {
    const auto is_key = [&wanted = key](const auto& member) { return member.first == wanted; };
    if (std::none_of(members.begin(), members.end(), is_key)) add(key, json_text(value));
  }
  return text + "\n}\n";
}

}  // namespace bert
