#include "tools/server/json_body.h"

#include <algorithm>
#include <limits>

namespace bert::server {
namespace {

constexpr int kMaxDepth = 32;

// Counts brackets outside strings, so that the parser's tree never gets deeper.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::string with_article(const Json& found) {
  if (found.is_null()) return "null";
  const std::string type = found.type_name();
  return (type == "object" || type == "array" ? "an " : "a ") + type;
}

}  // namespace

Json parse_body(std::string_view text) {
  if (is_too_deep(text)) {
    throw ApiError(Fault::kSyntax, "the body's JSON has more than " + std::to_string(kMaxDepth) + " levels");
  }
  Json body;
  try {
    body = Json::parse(text);
  } catch (const Json::exception& error) {
    std::string reason = error.what();  // "[json.exception.parse_error.101] parse error at line 1, …"
    reason = reason.substr(std::min(reason.find("] ") + 2, reason.size()));
    std::replace_if(
        reason.begin(), reason.end(), [](unsigned char c) { return c < 0x20 || c > 0x7E; }, '?');
    throw ApiError(Fault::kSyntax, "the body is not JSON: " + reason.substr(0, 300));
  }
  if (!body.is_object()) throw ApiError(Fault::kInvalid, "the body is " + with_article(body) + ", expected an object");
  return body;
}

void throw_type(const std::string& name, const Json& found, const std::string& expected) {
  throw ApiError(Fault::kInvalid, "'" + name + "' is " + with_article(found) + ", expected " + expected, name);
}

const Json* optional_field(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json& required_field(const Json& object, const std::string& name) {
  if (const Json* field = optional_field(object, name)) return *field;
  throw ApiError(Fault::kInvalid, "'" + name + "' is missing", name);
}

std::string required_string(const Json& object, const std::string& name) {
  const Json& field = required_field(object, name);
  if (!field.is_string()) throw_type(name, field, "a string");
  return field.get<std::string>();
}

std::optional<std::string> optional_string(const Json& object, const std::string& name) {
  if (optional_field(object, name) == nullptr) return std::nullopt;
  return required_string(object, name);
}

std::optional<bool> optional_bool(const Json& object, const std::string& name) {
  const Json* field = optional_field(object, name);
  if (field == nullptr) return std::nullopt;
  if (!field->is_boolean()) throw_type(name, *field, "true or false");
  return field->get<bool>();
}

std::optional<size_t> optional_size(const Json& object, const std::string& name) {
  const Json* field = optional_field(object, name);
  if (field == nullptr) return std::nullopt;
  if (!field->is_number_unsigned() || field->get<uint64_t>() == 0) {
    throw ApiError(Fault::kInvalid,
                   "'" + name + "' is " + field->dump().substr(0, 40) + ", expected a whole number above 0", name);
  }
  return field->get<size_t>();
}

std::vector<std::string> required_strings(const Json& object, const std::string& name) {
  const Json& field = required_field(object, name);
  if (!field.is_array()) throw_type(name, field, "a list of strings");
  std::vector<std::string> strings;
  for (const Json& value : field) {
    if (!value.is_string()) throw_type(name + "[" + std::to_string(strings.size()) + "]", value, "a string");
    strings.push_back(value.get<std::string>());
  }
  return strings;
}

std::optional<std::string> optional_word(const Json& object, const std::string& name,
                                         const std::vector<std::string>& words) {
  std::optional<std::string> word = optional_string(object, name);
  if (!word || std::find(words.begin(), words.end(), *word) != words.end()) return word;
  std::string expected;
  for (const std::string& known : words) expected += (expected.empty() ? "" : ", ") + known;
  throw ApiError(Fault::kInvalid,
                 "'" + name + "' is " + Json(word->substr(0, 60)).dump(-1, ' ', true, Json::error_handler_t::replace) +
                     ", expected one of " + expected,
                 name);
}

std::vector<int32_t> ids_of(const Json& list, const std::string& name) {
  if (!list.is_array()) throw_type(name, list, "a list of token ids");
  std::vector<int32_t> ids;
  for (const Json& value : list) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > std::numeric_limits<int32_t>::max()) {
      throw_type(name + "[" + std::to_string(ids.size()) + "]", value, "a token id");
    }
    ids.push_back(value.get<int32_t>());
  }
  return ids;
}

}  // namespace bert::server
