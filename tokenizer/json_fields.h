// Fields of a JSON object with their types checked; errors name the file, the field, what was found and expected.
// Stateless; safe to call from many threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/json.h"

namespace bert {

[[noreturn]] void refuse_file(std::string_view source, const std::string& what);  // throws Error(kInvalidFile)

// An object of a file: `where` is its path inside ("normalizer", "" for the file's own).
struct JsonObject {
  const Json& json;
  std::string_view source;
  std::string where = {};

  // Throws Error where `json` is no object.
  const JsonObject& check() const;

  std::string name(std::string_view key) const;  // "normalizer.lowercase"
  bool has(std::string_view key) const { return json.contains(key); }

  // null and absent give nullopt; any other type than asked for is an error.
  std::optional<bool> optional_bool(std::string_view key) const;
  std::optional<std::string> optional_string(std::string_view key) const;
  bool required_bool(std::string_view key) const;
  bool bool_or(std::string_view key, bool otherwise) const { return optional_bool(key).value_or(otherwise); }
  std::string required_string(std::string_view key) const;
  uint64_t required_unsigned(std::string_view key, uint64_t max) const;
  JsonObject required_object(std::string_view key) const;

  [[noreturn]] void refuse(std::string_view key, const std::string& expected) const;
};

}  // namespace bert
