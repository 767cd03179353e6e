#include "models/json_fields.h"

#include <limits>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {

JsonFields::JsonFields(const Json& object, std::string_view source, std::string where)
    : object_(object), source_(source), where_(std::move(where)) {
  if (object.is_object()) return;
  throw Error(ErrorCode::kInvalidFile, quote_path(source_) + ": " + where_ + (where_.empty() ? "" : " ") +
                                           json_excerpt(object) + ", expected an object");
}

void JsonFields::refuse(const char* name, const std::string& expected) const {
  const std::string dot = where_.empty() ? "" : where_ + ".";
  const Json* value = find(name);
  throw Error(ErrorCode::kInvalidFile, quote_path(source_) + ": " + dot + name + " " +
                                           (value == nullptr ? "is not there" : json_excerpt(*value)) + ", expected " +
                                           expected);
}

const Json* JsonFields::find(const char* name) const {
  const auto place = object_.find(name);
  return place == object_.end() ? nullptr : &*place;
}

bool JsonFields::is_null(const char* name) const {
  const Json* value = find(name);
  return value != nullptr && value->is_null();
}

std::optional<int64_t> JsonFields::integer(const char* name, Range range) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_unsigned()
                        ? value->get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
                        : value->is_number_integer();
  if (!fits || value->get<int64_t>() < range.min || value->get<int64_t>() > range.max) {
    refuse(name, "an integer of " + std::to_string(range.min) + " to " + std::to_string(range.max));
  }
  return value->get<int64_t>();
}

size_t JsonFields::size(const char* name, size_t otherwise, Range range) const {
  const std::optional<int64_t> value = integer(name, range);
  return value ? static_cast<size_t>(*value) : otherwise;
}

bool JsonFields::boolean(const char* name, bool otherwise) const {
  const Json* value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) refuse(name, "true or false");
  return value->get<bool>();
}

std::string JsonFields::string(const char* name, std::string otherwise) const {
  const Json* value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) refuse(name, "a string");
  return value->get<std::string>();
}

double JsonFields::positive_number(const char* name, double otherwise) const {
  const Json* value = find(name);
  if (value == nullptr) return otherwise;
  // The layers use it as a float32. A NaN is no number from 0 on either.
  const double number = value->is_number() ? value->get<double>() : 0;
  if (!(number > 0 && number <= std::numeric_limits<float>::max())) refuse(name, "a finite number above 0");
  return number;
}

std::vector<std::string> JsonFields::strings(const char* name) const {
  const Json* value = find(name);
  std::vector<std::string> result;
  if (value == nullptr) return result;
  if (!value->is_array()) refuse(name, "an array of strings");
  for (const Json& element : *value) {
    if (!element.is_string()) refuse(name, "an array of strings");
    result.push_back(element.get<std::string>());
  }
  return result;
}

}  // namespace bert
