#include "engine/base/json/json_object.h"

#include <limits>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {

void refuse_file(std::string_view source, const std::string& what) {
  throw Error(ErrorCode::kInvalidFile, quote_path(source) + ": " + what);
}

JsonObject::JsonObject(Json value, std::string_view source, std::string_view where)
    : json_(value), source_(source), where_(where) {
  if (json_.is_object()) return;
  refuse_file(source_, where_ + (where_.empty() ? "" : ": ") + "found " + json_excerpt(json_) + ", expected an object");
}

std::string JsonObject::name(std::string_view key) const {
  return where_ + (where_.empty() ? "" : ".") + excerpt(key, 200);
}

void JsonObject::refuse(std::string_view key, const std::string& expected) const {
  const auto value = find(key);
  refuse_file(source_,
              name(key) + ": " + (value ? "found " + json_excerpt(*value) : "missing") + ", expected " + expected);
}

bool JsonObject::is_null(std::string_view key) const {
  const auto value = find(key);
  return value && value->is_null();
}

std::optional<Json> JsonObject::nullable(std::string_view key) const {
  const auto value = find(key);
  return value && value->is_null() ? std::nullopt : value;
}

std::optional<bool> JsonObject::boolean(std::string_view key) const {
  const auto value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->boolean();
}

std::optional<std::string> JsonObject::string(std::string_view key) const {
  const auto value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_string()) refuse(key, "a string");
  return std::string(value->string());
}

std::optional<int64_t> JsonObject::integer(std::string_view key, Range range) const {
  const auto value = find(key);
  if (!value) return std::nullopt;
  const auto number = value->integer();
  if (!number || *number < range.min || *number > range.max) {
    refuse(key, "an integer from " + std::to_string(range.min) + " to " + std::to_string(range.max));
  }
  return number;
}

std::optional<double> JsonObject::positive_number(std::string_view key) const {
  const auto value = find(key);
  if (!value) return std::nullopt;
  const auto number = value->number();
  if (!number || *number <= 0 || *number > std::numeric_limits<float>::max()) refuse(key, "a finite number above 0");
  return number;
}

std::optional<std::vector<std::string>> JsonObject::strings(std::string_view key) const {
  const auto value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_array()) refuse(key, "an array of strings");
  std::vector<std::string> result;
  for (const Json element : value->elements()) {
    if (!element.is_string()) refuse(key, "an array of strings");
    result.emplace_back(element.string());
  }
  return result;
}

std::optional<bool> JsonObject::nullable_boolean(std::string_view key) const {
  return is_null(key) ? std::nullopt : boolean(key);
}

std::optional<std::string> JsonObject::nullable_string(std::string_view key) const {
  return is_null(key) ? std::nullopt : string(key);
}

std::optional<int64_t> JsonObject::nullable_integer(std::string_view key, Range range) const {
  return is_null(key) ? std::nullopt : integer(key, range);
}

std::optional<JsonObject> JsonObject::nullable_object(std::string_view key) const {
  return nullable(key) ? std::optional(required_object(key)) : std::nullopt;
}

template <class Value>
Value JsonObject::required(std::string_view key, std::optional<Value> value, const std::string& expected) const {
  if (!value) refuse(key, expected);
  return std::move(*value);
}

bool JsonObject::required_boolean(std::string_view key) const { return required(key, boolean(key), "true or false"); }

std::string JsonObject::required_string(std::string_view key) const { return required(key, string(key), "a string"); }

size_t JsonObject::required_integer(std::string_view key, size_t max) const {
  const auto value = find(key);
  const auto number = value ? value->unsigned_integer() : std::nullopt;
  if (!number || *number > max) refuse(key, "an integer from 0 to " + std::to_string(max));
  return static_cast<size_t>(*number);
}

JsonObject JsonObject::required_object(std::string_view key) const {
  const auto value = find(key);
  if (!value || !value->is_object()) refuse(key, "an object");
  return {*value, source_, name(key)};
}

std::vector<Json> JsonObject::required_array(std::string_view key, const std::string& expected) const {
  const auto value = find(key);
  if (!value || !value->is_array()) refuse(key, expected);
  std::vector<Json> result;
  for (const Json element : value->elements()) result.push_back(element);
  return result;
}

}  // namespace bert
