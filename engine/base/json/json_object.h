// Reads the fields of a JSON object and checks their types. An error names the file, the field, what was found and what
// was expected. An absent field returns nullopt; functions named required throw. Functions named nullable treat null as
// absent, as the reference does for such fields; has and find treat it as a value; the others throw. The JSON document
// must outlive the JsonObject.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json/json.h"

namespace bert {

[[noreturn]] void refuse_file(std::string_view source, const std::string& what);  // throws Error(kInvalidFile)

class JsonObject {
 public:
  // Throws if `value` is not an object. source: the file's name, for messages;  where: the path of `value` in the file
  // ("normalizer"; "" for the whole file).
  JsonObject(Json value, std::string_view source, std::string_view where = "");

  struct Range {
    int64_t min;
    int64_t max;
  };

  const Json& json() const { return json_; }
  const std::string& source() const { return source_; }
  const std::string& where() const { return where_; }
  std::string name(std::string_view key) const;  // the field's path in the file: "normalizer.lowercase"

  bool has(std::string_view key) const { return find(key).has_value(); }
  bool is_null(std::string_view key) const;
  std::optional<Json> find(std::string_view key) const { return json_.find(key); }
  std::optional<Json> nullable(std::string_view key) const;

  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string> string(std::string_view key) const;
  std::optional<int64_t> integer(std::string_view key, Range range) const;
  std::optional<double> positive_number(std::string_view key) const;  // within float32's range
  std::optional<std::vector<std::string>> strings(std::string_view key) const;

  std::optional<bool> nullable_boolean(std::string_view key) const;
  std::optional<std::string> nullable_string(std::string_view key) const;
  std::optional<int64_t> nullable_integer(std::string_view key, Range range) const;
  std::optional<JsonObject> nullable_object(std::string_view key) const;

  bool required_boolean(std::string_view key) const;
  std::string required_string(std::string_view key) const;
  size_t required_integer(std::string_view key, size_t max) const;  // from 0
  JsonObject required_object(std::string_view key) const;
  std::vector<Json> required_array(std::string_view key, const std::string& expected = "an array") const;

  // Throws Error(kInvalidFile): 'config.json': hidden_size: found "768" (or: missing), expected <expected>
  [[noreturn]] void refuse(std::string_view key, const std::string& expected) const;

 private:
  template <class Value>
  Value required(std::string_view key, std::optional<Value> value, const std::string& expected) const;

  Json json_;
  std::string source_;
  std::string where_;
};

}  // namespace bert
