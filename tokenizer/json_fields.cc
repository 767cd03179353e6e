#include "tokenizer/json_fields.h"

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {

void refuse_file(std::string_view source, const std::string& what) {
  throw Error(ErrorCode::kInvalidFile, quote(source) + ": " + what);
}

const JsonObject& JsonObject::check() const {
  if (!json.is_object()) {
    refuse_file(source, (where.empty() ? "" : where + ": ") + "found " + json_excerpt(json) + ", expected an object");
  }
  return *this;
}

std::string JsonObject::name(std::string_view key) const {
  return where.empty() ? one_line(key) : where + "." + one_line(key);
}

void JsonObject::refuse(std::string_view key, const std::string& expected) const {
  const auto found = json.find(key);
  const std::string what = found == json.end() ? "missing" : "found " + json_excerpt(*found);
  refuse_file(source, name(key) + ": " + what + ", expected " + expected);
}

std::optional<bool> JsonObject::optional_bool(std::string_view key) const {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  if (!found->is_boolean()) refuse(key, "true or false");
  return found->get<bool>();
}

std::optional<std::string> JsonObject::optional_string(std::string_view key) const {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) refuse(key, "a string");
  return found->get<std::string>();
}

bool JsonObject::required_bool(std::string_view key) const {
  const auto value = optional_bool(key);
  if (!value) refuse(key, "true or false");
  return *value;
}

std::string JsonObject::required_string(std::string_view key) const {
  auto value = optional_string(key);
  if (!value) refuse(key, "a string");
  return std::move(*value);
}

uint64_t JsonObject::required_unsigned(std::string_view key, uint64_t max) const {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned() || found->get<uint64_t>() > max) {
    refuse(key, "an integer from 0 to " + std::to_string(max));
  }
  return found->get<uint64_t>();
}

JsonObject JsonObject::required_object(std::string_view key) const {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_object()) refuse(key, "an object");
  return {*found, source, name(key)};
}

}  // namespace bert
