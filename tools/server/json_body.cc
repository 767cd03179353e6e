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

// Afterwards the value is null or empty, and its destructor allocates nothing.
void free_leaves_first(Json& value) {
  if (auto* const array = value.get_ptr<Json::array_t*>()) {
    for (Json& one : *array) free_leaves_first(one);
    array->clear();
  } else if (auto* const object = value.get_ptr<Json::object_t*>()) {
    for (auto& [name, one] : *object) free_leaves_first(one);
    object->clear();
  }
}

// Builds the tree in a root of ours, so that a tree that is not whole can be freed too.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit TreeBuilder(Json& root) : root_(root) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // not in JSON
  bool start_object(size_t) override { return open(Json::value_t::object); }
  bool key(string_t& name) override {
    place_ = &open_.back()->get_ref<Json::object_t&>()[name];
    free_leaves_first(*place_);  // of a repeated key
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(Json::value_t::array); }
  bool end_array() override { return close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    std::string reason = error.what();  // "[json.exception.parse_error.101] parse error at line 1, …"
    reason = reason.substr(std::min(reason.find("] ") + 2, reason.size()));
    std::replace_if(
        reason.begin(), reason.end(), [](unsigned char c) { return c < 0x20 || c > 0x7E; }, '?');
    throw ApiError(Fault::kSyntax, "the body is not JSON: " + reason.substr(0, 300));
  }

 private:
  // value: without elements.
  bool add(Json value) {
    if (open_.empty()) {
      place_ = &root_;
    } else if (auto* const array = open_.back()->get_ptr<Json::array_t*>()) {
      place_ = &array->emplace_back();
    }
    *place_ = std::move(value);
    return true;
  }
  bool open(Json::value_t type) {
    open_.reserve(kMaxDepth);
    add(type);
    open_.push_back(place_);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json& root_;
  Json* place_ = nullptr;    // of the last value, or of the next one after a key
  std::vector<Json*> open_;  // objects and arrays
};

std::string with_article(const Json& found) {
  if (found.is_null()) return "null";
  const std::string type = found.type_name();
  return (type == "object" || type == "array" ? "an " : "a ") + type;
}

}  // namespace

JsonBody::~JsonBody() { free_leaves_first(root); }

JsonBody parse_body(std::string_view text) {
  if (is_too_deep(text)) {
    throw ApiError(Fault::kSyntax, "the body's JSON has more than " + std::to_string(kMaxDepth) + " levels");
  }
  JsonBody body;
  TreeBuilder builder(body.root);
  Json::sax_parse(text, &builder);
  if (!body.root.is_object()) {
    throw ApiError(Fault::kInvalid, "the body is " + with_article(body) + ", expected an object");
  }
  return body;
}

void throw_type(const std::string& name, const Json& found, const std::string& expected) {
  throw ApiError(Fault::kInvalid, "'" + name + "' is " + with_article(found) + ", expected " + expected, name);
}

const Json* optional_field(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json& required_field(const Json& object, std::string_view name) {
  const std::string key(name);
  if (const Json* field = optional_field(object, key)) return *field;
  throw ApiError(Fault::kInvalid, "'" + key + "' is missing", key);
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
  if (word) check_word(*word, name, words);
  return word;
}

void check_word(const std::string& word, const std::string& name, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  std::string expected;
  for (const std::string& known : words) expected += (expected.empty() ? "" : ", ") + known;
  throw ApiError(Fault::kInvalid,
                 "'" + name + "' is " + Json(word.substr(0, 60)).dump(-1, ' ', true, Json::error_handler_t::replace) +
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
