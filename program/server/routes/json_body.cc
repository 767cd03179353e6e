#include "program/server/routes/json_body.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <limits>

#include "engine/base/joined.h"
#include "engine/base/json/json_writer.h"
#include "program/common/json_reader.h"
#include "program/server/routes/api_error.h"

namespace bert::server {
namespace {

constexpr size_t kMaxDepth = 32;

// Empties the value, so that its destructor allocates nothing.
void free_leaves_first(Json& value) {
  if (auto* const array = value.get_ptr<Json::array_t*>()) {
    for (Json& one : *array) free_leaves_first(one);
    array->clear();
  } else if (auto* const object = value.get_ptr<Json::object_t*>()) {
    for (auto& [name, one] : *object) free_leaves_first(one);
    object->clear();
  }
}

// Returns a stand-in for a value that no route can use, since JSON text has no binary values. Accessors name it in
// errors.
Json unusable(std::string_view what) { return Json::binary({what.begin(), what.end()}); }
constexpr std::string_view kRepeated = "there twice";

// Builds the tree in our own root, so that an incomplete tree can also be freed.
class TreeBuilder : public common::JsonEvents {
 public:
  explicit TreeBuilder(Json& root) : root_(root) {}
  ~TreeBuilder() override {
    for (Json& value : repeated_) free_leaves_first(value);
  }
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;

  void null() override { add(nullptr); }
  void boolean(bool value) override { add(value); }
  void number(std::string_view written) override {
    const auto is_whole = [&](auto& value) {
      const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
      return error == std::errc() && end == written.data() + written.size();
    };
    uint64_t natural = 0;
    int64_t whole = 0;
    if (is_whole(natural)) return add(natural);
    if (is_whole(whole)) return add(whole);
    const std::optional<double> value = common::finite_number(written);
    add(value ? Json(*value) : unusable(written.substr(0, 40)));
  }
  void string(std::string& value) override { add(std::move(value)); }
  void start_object() override { open(Json::value_t::object); }
  void key(std::string& name) override {
    const auto [member, is_new] = open_.back()->get_ref<Json::object_t&>().try_emplace(name);
    place_ = &member->second;
    if (is_new) return;
    free_leaves_first(*place_);
    *place_ = unusable(kRepeated);
    place_ = &repeated_.emplace_back();
  }
  void end_object() override { open_.pop_back(); }
  void start_array() override { open(Json::value_t::array); }
  void end_array() override { open_.pop_back(); }

 private:
  // value: without elements.
  void add(Json value) {
    if (open_.empty()) {
      place_ = &root_;
    } else if (auto* const array = open_.back()->get_ptr<Json::array_t*>()) {
      place_ = &array->emplace_back();
    }
    *place_ = std::move(value);
  }
  void open(Json::value_t type) {
    open_.reserve(kMaxDepth);
    add(type);
    open_.push_back(place_);
  }

  Json& root_;
  std::deque<Json> repeated_;  // values of duplicate keys, except the first
  Json* place_ = nullptr;      // place of the last value, or of the next value after a key
  std::vector<Json*> open_;    // open objects and arrays
};

std::string with_article(const Json& found) {
  if (found.is_null()) return "null";
  if (found.is_binary()) return {found.get_binary().begin(), found.get_binary().end()};
  const std::string type = found.type_name();
  return (type == "object" || type == "array" ? "an " : "a ") + type;
}

}  // namespace

JsonBody::~JsonBody() { free_leaves_first(root); }

JsonBody parse_body(std::string_view text) {
  JsonBody body;
  TreeBuilder builder(body.root);
  if (const auto problem = common::read_json(text, kMaxDepth, builder)) {
    throw ApiError(Fault::kSyntax,
                   "the body is not JSON: byte " + std::to_string(problem->position) + ": " + problem->what);
  }
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

std::optional<size_t> optional_size(const Json& object, const std::string& name, size_t least) {
  const Json* field = optional_field(object, name);
  if (field == nullptr) return std::nullopt;
  const std::string expected = "a whole number" + (least > 0 ? " above " + std::to_string(least - 1) : "");
  if (field->is_binary()) throw_type(name, *field, expected);
  if (!field->is_number_unsigned() || field->get<uint64_t>() < least) {
    throw ApiError(Fault::kInvalid, "'" + name + "' is " + field->dump().substr(0, 40) + ", expected " + expected,
                   name);
  }
  return field->get<size_t>();
}

std::optional<double> optional_number(const Json& object, const std::string& name, double least, double most) {
  const Json* field = optional_field(object, name);
  if (field == nullptr) return std::nullopt;
  std::string range;
  append_number(range, static_cast<float>(least));
  if (most == std::numeric_limits<double>::infinity()) {
    range += " or more";
  } else {
    append_number(range += " to ", static_cast<float>(most));
  }
  if (!field->is_number()) throw_type(name, *field, "a number from " + range);
  const double value = field->get<double>();
  if (value >= least && value <= most) return value;
  throw ApiError(Fault::kInvalid, "'" + name + "' is " + field->dump() + ", expected " + range, name);
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

std::optional<std::string> optional_word(const Json& object, const std::string& name, Words words) {
  std::optional<std::string> word = optional_string(object, name);
  if (word) check_word(*word, name, words);
  return word;
}

void check_word(const std::string& word, const std::string& name, Words words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  const std::string expected = joined(words, ", ");
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
      const std::string item = name + "[" + std::to_string(ids.size()) + "]";
      if (!value.is_number()) throw_type(item, value, "a token id");
      throw ApiError(Fault::kInvalid, "'" + item + "' is " + value.dump().substr(0, 40) + ", expected a token id",
                     item);
    }
    ids.push_back(value.get<int32_t>());
  }
  return ids;
}

}  // namespace bert::server
