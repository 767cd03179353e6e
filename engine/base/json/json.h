// Parses JSON of untrusted files into a tree of values. Parsing limits size and depth, and checks for duplicate keys;
// it takes time linear in the size, plus sorting the keys. The tree is one array of nodes, so that destroying it needs
// no recursion. In Python's dialect NaN, Infinity and -Infinity are numbers for which number() returns nullopt, because
// an unused field may have them. Immutable: any number of threads may read.
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

struct JsonOptions {
  size_t max_bytes = 16u << 20;  // less than 4 GiB: nodes have 32-bit positions
  int max_depth = 64;            // open brackets
  JsonDialect dialect = JsonDialect::kPython;
  // How to treat an object with a duplicate key. Null: throw Error. Else the last value counts, and a message for the
  // user is appended to *notices.
  std::vector<std::string>* notices = nullptr;
};

enum class JsonKind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

// A node of the tree. An array's node is followed by its elements' nodes; an object's node by the nodes of each key and
// value. After the members of a large object follows an index: a node for each member, sorted by key, whose `begin` is
// the distance from the object's node to the member's key.
struct JsonNode {
  uint32_t begin;  // string or number: index of its first byte in the text; object: number of index nodes
  uint32_t size;   // in bytes; for an array or object: number of elements or members
  uint32_t nodes;  // number of nodes of this value, including those inside it; at least 1
  JsonKind kind;
};

inline uint32_t index_nodes(const JsonNode& node) { return node.kind == JsonKind::kObject ? node.begin : 0; }

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
  iterator end() const { return {node_ + node_->nodes - index_nodes(*node_), text_}; }

 private:
  const JsonNode* node_;
  const char* text_;
};

// A view of one value. The document must outlive it. Accessors require a value of their kind unless they say otherwise.
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
  // A string, with escapes decoded, or a number as written.
  std::string_view string() const { return {text_ + node_->begin, node_->size}; }
  // Returns the value as an integer; nullopt if it is not a number, has a fraction or an exponent, or is out of range.
  std::optional<int64_t> integer() const;
  std::optional<uint64_t> unsigned_integer() const;  // as integer(); also nullopt for a sign
  // Returns the nearest double; nullopt if it is not a number, or is NaN, infinite or out of range, or rounds to 0
  // without being 0.
  std::optional<double> number() const;

  size_t size() const { return node_->size; }  // elements of an array, members of an object
  bool empty() const { return size() == 0; }
  JsonRange<Json> elements() const { return {node_, text_}; }
  JsonRange<JsonMember> members() const { return {node_, text_}; }
  // Returns an element of an array; index < size(). Takes time linear in index.
  Json operator[](size_t index) const;
  // Returns a member of an object; nullopt if there is none. Takes time logarithmic in the number of members.
  std::optional<Json> find(std::string_view key) const;

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

// The parsed values of one text. Owns everything that Json and its strings point to, also after a move.
class JsonDocument {
 public:
  Json root() const { return {nodes_.data(), text_.get()}; }

 private:
  friend class JsonTreeReader;
  std::unique_ptr<char[]> text_;  // with escapes decoded
  std::vector<JsonNode> nodes_;
};

// A function that parse_json calls before each value. It either reads the value from the scanner and returns a kind:
// the tree then has an empty value of this kind in its place. Or it reads nothing and returns nullopt: the value is
// read into the tree. path: the keys that lead to the value, "" for an element of an array; valid during the call.
using JsonValueReader =
    std::function<std::optional<JsonKind>(std::span<const std::string_view> path, JsonScanner& scanner)>;

// Parses the text, of which the document keeps a copy. source: the file's name, for errors. Throws Error(kInvalidFile)
// with source, position and what was found; without a position for a text that is too long or a Git LFS pointer.
// Strings that read_value takes from the scanner live as long as the document.
JsonDocument parse_json(std::string_view text, std::string_view source, const JsonOptions& options = {},
                        const JsonValueReader& read_value = {});

// Returns the value for an error message: like JSON, on one line, cut after 60 bytes and then marked with "…".
std::string json_excerpt(const Json& value);

// Returns UTF-8 text as a JSON string, in quotes and with escapes.
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
