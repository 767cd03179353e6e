// JSON of untrusted files, as a tree of values. JsonScanner checks size, depth and repeated keys in one pass over the
// text; the time is linear in its size, except for sorting the keys. The tree is one array of small nodes: destroying
// it needs no walk and no allocation. Of Python's dialect NaN, Infinity and -Infinity are numbers without a value:
// harmless in an unused field, rejected in a used one. Immutable: any number of threads may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json/json_scanner.h"

namespace bert {

struct JsonLimits {
  size_t max_bytes = 16u << 20;
  int max_depth = 64;
  JsonDialect dialect = JsonDialect::kPython;
  // Where a key stands twice in an object, its last value counts, and this gets a message for the user; null: refused.
  std::vector<std::string>* notices = nullptr;
};

enum class JsonKind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

// One value, followed by the nodes of the values inside it; a member of an object is its key, then its value.
struct JsonNode {
  uint32_t begin;  // of a string or number: its first byte in the text
  uint32_t size;   // in bytes; of an array or object: its elements or members
  uint32_t nodes;  // of the whole value
  JsonKind kind;
};

class Json;

struct JsonMember;

// Iterates over the elements of an array or the members of an object.
template <class Item>
class JsonRange {
 public:
  struct iterator {
    const JsonNode* node;
    const char* text;
    Item operator*() const;
    iterator& operator++();
    bool operator!=(const iterator& other) const { return node != other.node; }
  };
  JsonRange(const JsonNode* node, const char* text) : node_(node), text_(text) {}
  iterator begin() const { return {node_ + 1, text_}; }
  iterator end() const { return {node_ + node_->nodes, text_}; }

 private:
  const JsonNode* node_;
  const char* text_;
};

// A value of a document, which must outlive it. Each accessor requires a value of its kind.
class Json {
 public:
  Json(const JsonNode* node, const char* text) : node_(node), text_(text) {}

  JsonKind kind() const { return node_->kind; }
  bool is_null() const { return kind() == JsonKind::kNull; }
  bool is_boolean() const { return kind() == JsonKind::kTrue || kind() == JsonKind::kFalse; }
  bool is_number() const { return kind() == JsonKind::kNumber; }
  bool is_string() const { return kind() == JsonKind::kString; }
  bool is_array() const { return kind() == JsonKind::kArray; }
  bool is_object() const { return kind() == JsonKind::kObject; }

  bool boolean() const { return kind() == JsonKind::kTrue; }
  std::string_view string() const { return {text_ + node_->begin, node_->size}; }  // or a number's text
  // nullopt for other kinds, NaN and infinities, a number with a fraction or an exponent, and one out of the type's
  // range.
  std::optional<int64_t> integer() const;
  std::optional<uint64_t> unsigned_integer() const;  // nor for one with a sign
  std::optional<double> number() const;

  size_t size() const { return node_->size; }  // of an array or object
  bool empty() const { return size() == 0; }
  JsonRange<Json> elements() const { return {node_, text_}; }
  JsonRange<JsonMember> members() const { return {node_, text_}; }
  Json operator[](size_t index) const;                   // index < size() of an array
  std::optional<Json> find(std::string_view key) const;  // of an object

 private:
  template <class>
  friend class JsonRange;
  const JsonNode* node_;
  const char* text_;
};

struct JsonMember {
  std::string_view key;
  Json value;
};

// The values of one text.
class JsonDocument {
 public:
  Json root() const { return {nodes_.data(), text_.get()}; }

 private:
  friend class JsonTreeReader;
  std::unique_ptr<char[]> text_;  // with escapes decoded
  std::vector<JsonNode> nodes_;
};

// Reads a value and returns the empty value that replaces it in the tree; nullopt, with nothing read: the tree keeps
// it. path: the keys that lead to the value; "" for an element of an array.
using JsonValueReader =
    std::function<std::optional<JsonKind>(std::span<const std::string_view> path, JsonScanner& scanner)>;

// Throws Error(kInvalidFile) with `source` (the file's name), the position and what was found.
// Strings that read_value takes from the scanner live as long as the document.
JsonDocument parse_json(std::string_view text, std::string_view source, const JsonLimits& limits = {},
                        const JsonValueReader& read_value = {});

// A value as shown in an error: its JSON text, cut after 60 bytes.
std::string json_excerpt(const Json& value);

// A JSON string of UTF-8 text: "…" with escapes.
std::string json_string(std::string_view text);

template <>
inline Json JsonRange<Json>::iterator::operator*() const {
  return {node, text};
}
template <>
inline JsonRange<Json>::iterator& JsonRange<Json>::iterator::operator++() {
  node += node->nodes;
  return *this;
}
template <>
inline JsonMember JsonRange<JsonMember>::iterator::operator*() const {
  return {{text + node->begin, node->size}, {node + 1, text}};
}
template <>
inline JsonRange<JsonMember>::iterator& JsonRange<JsonMember>::iterator::operator++() {
  node += 1 + node[1].nodes;
  return *this;
}

}  // namespace bert
