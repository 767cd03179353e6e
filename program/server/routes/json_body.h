// Reads the fields of a request's JSON with their types. Functions throw ApiError, which names the field, what was
// found and what was expected. A duplicate field, NaN, or a number beyond double's range is rejected only when it is
// used.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::server {

using Json = nlohmann::json;

// A parsed body. The destructor of a Json allocates, and ends the process if there is no memory; this class frees the
// leaves first, which needs none.
class JsonBody {
 public:
  JsonBody() = default;
  ~JsonBody();
  JsonBody(JsonBody&& other) noexcept { root.swap(other.root); }
  JsonBody& operator=(JsonBody&&) = delete;
  operator const Json&() const { return root; }

  Json root;  // null
};

// Parses the body as an object, at most 32 levels deep.
JsonBody parse_body(std::string_view text);

// Returns a field; null if it is missing or null.
const Json* optional_field(const Json& object, const std::string& name);
const Json& required_field(const Json& object, std::string_view name);

std::string required_string(const Json& object, const std::string& name);
std::optional<std::string> optional_string(const Json& object, const std::string& name);
std::optional<bool> optional_bool(const Json& object, const std::string& name);
std::optional<size_t> optional_size(const Json& object, const std::string& name, size_t least = 1);
std::optional<double> optional_number(const Json& object, const std::string& name, double least, double most);
// Returns a list of strings.
std::vector<std::string> required_strings(const Json& object, const std::string& name);
// The words that a field allows.
using Words = std::span<const std::string_view>;
std::optional<std::string> optional_word(const Json& object, const std::string& name, Words words);
// Throws ApiError if the field's word is none of these.
void check_word(const std::string& word, const std::string& name, Words words);
// Returns a list of ids. name: the field, for errors.
std::vector<int32_t> ids_of(const Json& list, const std::string& name);

// Throws ApiError for a field with a value of another type: "'truncate' is a string, expected true or false".
[[noreturn]] void throw_type(const std::string& name, const Json& found, const std::string& expected);

}  // namespace bert::server
