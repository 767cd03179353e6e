#include "engine/base/json/json.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "bert/error.h"
#include "engine/base/git_lfs.h"
#include "engine/base/json/json_scanner.h"
#include "engine/base/number.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

constexpr size_t kExcerptBytes = 60;

// A literal of JSON and its kind.
struct Literal {
  std::string_view text;
  JsonKind kind;
};
constexpr std::array kLiterals = {
    Literal{"true", JsonKind::kTrue},
    Literal{"false", JsonKind::kFalse},
    Literal{"null", JsonKind::kNull},
};
constexpr std::array<std::string_view, 3> kPythonNumbers = {"NaN", "Infinity", "-Infinity"};

// Objects with at least this many members have an index.
constexpr uint32_t kIndexedMembers = 64;

std::string_view key_of(const JsonNode& node, const char* text) { return {text + node.begin, node.size}; }

template <class Number>
std::optional<Number> whole_number(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const std::string_view text = value.string();
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void append_quoted(std::string_view string, std::string& text) {
  text += '"';
  for (const char c : string.substr(0, kExcerptBytes + 1)) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  text += '"';
}

// Appends an excerpt of the value. Stops soon after the text exceeds an excerpt's length.
void append(const Json& value, std::string& text) {
  switch (value.kind()) {
    case JsonKind::kNull:
      text += "null";
      break;
    case JsonKind::kTrue:
    case JsonKind::kFalse:
      text += value.boolean() ? "true" : "false";
      break;
    case JsonKind::kNumber:
      text += value.string().substr(0, kExcerptBytes + 1);
      break;
    case JsonKind::kString:
      append_quoted(value.string(), text);
      break;
    case JsonKind::kArray: {
      text += '[';
      const char* separator = "";
      for (const Json element : value.elements()) {
        if (text.size() > kExcerptBytes) return;
        text += separator;
        append(element, text);
        separator = ",";
      }
      text += ']';
      break;
    }
    case JsonKind::kObject: {
      text += '{';
      const char* separator = "";
      for (const auto& [key, member] : value.members()) {
        if (text.size() > kExcerptBytes) return;
        text += separator;
        append_quoted(key, text);
        text += ':';
        append(member, text);
        separator = ",";
      }
      text += '}';
      break;
    }
  }
}

}  // namespace

// Reads a text and appends the nodes of its values.
class JsonTreeReader {
 public:
  JsonTreeReader(std::string_view text, std::string_view source, const JsonOptions& options,
                 const JsonValueReader& reader)
      : document_(copy_of(text)),
        text_begin_(document_.text_.get()),
        scanner_({document_.text_.get(), text.size()}, source, 0, options.dialect),
        source_(source),
        read_value_(reader),
        options_(options) {}

  JsonDocument read() {
    value();
    scanner_.end();
    return std::move(document_);
  }

 private:
  static JsonDocument copy_of(std::string_view text) {
    JsonDocument document;
    document.text_ = std::unique_ptr<char[]>(new char[text.size()]);
    std::copy(text.begin(), text.end(), document.text_.get());
    return document;
  }

  void value() {
    if (read_value_) {
      if (const auto kind = read_value_(path_, scanner_)) {
        document_.nodes_.push_back({0, 0, 1, *kind});
        return;
      }
    }
    if (scanner_.next_is('{')) return container(JsonKind::kObject);
    if (scanner_.next_is('[')) return container(JsonKind::kArray);
    if (scanner_.next_is('"')) return leaf(JsonKind::kString, scanner_.string("a string"));
    for (const Literal& literal : kLiterals) {
      if (const auto word = scanner_.accept_word(literal.text)) return leaf(literal.kind, *word);
    }
    if (options_.dialect == JsonDialect::kPython) {
      for (const std::string_view number : kPythonNumbers) {
        if (const auto word = scanner_.accept_word(number)) return leaf(JsonKind::kNumber, *word);
      }
    }
    leaf(JsonKind::kNumber, scanner_.number("a value of JSON"));
  }

  void container(JsonKind kind) {
    if (path_.size() >= static_cast<size_t>(options_.max_depth)) {
      scanner_.refuse("JSON nested deeper than " + std::to_string(options_.max_depth) + " levels");
    }
    const size_t index = document_.nodes_.size();
    document_.nodes_.push_back({0, 0, 0, kind});
    uint32_t count = 0;
    if (kind == JsonKind::kObject) {
      const auto member = [&](std::string_view key) {
        leaf(JsonKind::kString, key);
        inner_value(key, count);
      };
      if (options_.notices == nullptr) {
        scanner_.object("an object", member);
      } else if (const auto repeated = scanner_.read_object("an object", member); !repeated.empty()) {
        remove_members(index + 1, repeated);
        count -= static_cast<uint32_t>(repeated.size());
      }
    } else {
      scanner_.array("an array", [&] { inner_value("", count); });
    }
    document_.nodes_[index].size = count;
    if (kind == JsonKind::kObject && count >= kIndexedMembers) add_index(index, count);
    document_.nodes_[index].nodes = static_cast<uint32_t>(document_.nodes_.size() - index);
  }

  // Adds the index of the object at this node, which has `count` members.
  void add_index(size_t object, uint32_t count) {
    std::vector<JsonNode>& nodes = document_.nodes_;
    std::vector<uint32_t> members;
    members.reserve(count);
    for (size_t key = object + 1; key < nodes.size(); key += 1 + nodes[key + 1].nodes) {
      members.push_back(static_cast<uint32_t>(key - object));
    }
    const auto key = [&](uint32_t member) { return key_of(nodes[object + member], text_begin_); };
    std::sort(members.begin(), members.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    for (const uint32_t member : members) nodes.push_back({member, 0, 1, JsonKind::kNull});
    nodes[object].begin = count;
  }

  // Removes duplicate members of the object whose first member is at `first`. keys: in the order of the text.
  void remove_members(size_t first, const std::vector<JsonScanner::RepeatedKey>& keys) {
    note_repeated(keys);
    std::vector<JsonNode>& nodes = document_.nodes_;
    auto key = keys.begin();
    size_t to = first;
    for (size_t from = first, next; from < nodes.size(); from = next) {
      next = from + 1 + nodes[from + 1].nodes;
      if (key != keys.end() && text_begin_ + nodes[from].begin == key->earlier.data()) {
        ++key;
        continue;
      }
      std::copy(nodes.begin() + static_cast<std::ptrdiff_t>(from), nodes.begin() + static_cast<std::ptrdiff_t>(next),
                nodes.begin() + static_cast<std::ptrdiff_t>(to));
      to += next - from;
    }
    nodes.resize(to);
  }

  void note_repeated(const std::vector<JsonScanner::RepeatedKey>& keys) const {
    std::string where;
    for (const std::string_view part : path_) where += (part.empty() ? "[]" : std::string(part)) + ".";
    const std::string others = keys.size() > 1 ? " and others" : "";
    options_.notices->push_back(quote_path(source_) + ": duplicate key " + quote(where + std::string(keys[0].earlier)) +
                                others + "; the last value counts, as in the reference");
  }

  void inner_value(std::string_view key, uint32_t& count) {
    path_.push_back(key);
    value();
    path_.pop_back();
    ++count;
  }

  void leaf(JsonKind kind, std::string_view text) {
    const auto begin = static_cast<uint32_t>(text.data() - text_begin_);
    document_.nodes_.push_back({begin, static_cast<uint32_t>(text.size()), 1, kind});
  }

  JsonDocument document_;
  const char* text_begin_;
  JsonScanner scanner_;
  std::string_view source_;
  const JsonValueReader& read_value_;
  const JsonOptions& options_;
  std::vector<std::string_view> path_;
};

JsonDocument parse_json(std::string_view text, std::string_view source, const JsonOptions& options,
                        const JsonValueReader& read_value) {
  if (text.size() > options.max_bytes) {
    throw Error(ErrorCode::kInvalidFile, quote_path(source) + ": " + std::to_string(text.size()) +
                                             " bytes of JSON, expected at most " + std::to_string(options.max_bytes));
  }
  if (is_git_lfs_pointer(text)) {
    throw Error(ErrorCode::kInvalidFile, quote_path(source) + ": " + std::string(kFoundGitLfsPointer));
  }
  return JsonTreeReader(text, source, options, read_value).read();
}

std::optional<int64_t> Json::integer() const { return whole_number<int64_t>(*this); }

std::optional<uint64_t> Json::unsigned_integer() const { return whole_number<uint64_t>(*this); }

std::optional<double> Json::number() const { return is_number() ? parse_double(string()) : std::nullopt; }

Json Json::operator[](size_t index) const {
  auto place = elements().begin();
  for (; index > 0; --index) ++place;
  return *place;
}

std::optional<Json> Json::find(std::string_view key) const {
  if (const uint32_t entries = index_nodes(*node_); entries > 0) {
    const std::span<const JsonNode> index(node_ + node_->nodes - entries, entries);
    const auto found = std::lower_bound(
        index.begin(), index.end(), key,
        [&](const JsonNode& entry, std::string_view sought) { return key_of(node_[entry.begin], text_) < sought; });
    if (found == index.end() || key_of(node_[found->begin], text_) != key) return std::nullopt;
    return Json(node_ + found->begin + 1, text_);
  }
  for (const auto& [name, value] : members()) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::string json_string(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      json += "\\u00";
      json += "0123456789abcdef"[c >> 4];
      json += "0123456789abcdef"[c & 15];
      continue;
    }
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  return json + '"';
}

std::string json_excerpt(const Json& value) {
  std::string text;
  append(value, text);
  return excerpt(text, kExcerptBytes);
}

}  // namespace bert
