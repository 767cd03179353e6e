#include "engine/base/json.h"

#include <string>
#include <unordered_set>
#include <vector>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

// The parser's reason ends with what it last read, which can be the rest of the file.
constexpr size_t kMaxReasonBytes = 300;

[[noreturn]] void refuse(std::string_view source, const std::string& what) {
  throw Error(ErrorCode::kInvalidFile, quote(source) + ": " + what);
}

// Puts NaN, Infinity and -Infinity, where they stand outside of strings, into quotes.
std::string quote_python_literals(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 64);
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      result += c;
      if (c == '\\' && i + 1 < text.size()) result += text[++i];
      if (c == '"') in_string = false;
      continue;
    }
    bool replaced = false;
    if (c == 'N' || c == 'I' || c == '-') {
      for (std::string_view literal : {"NaN", "Infinity", "-Infinity"}) {
        if (text.substr(i, literal.size()) != literal) continue;
        result.append(1, '"').append(literal).append(1, '"');
        i += literal.size() - 1;
        replaced = true;
        break;
      }
    }
    if (replaced) continue;
    result += c;
    in_string = c == '"';
  }
  return result;
}

bool may_have_python_literals(std::string_view text) {
  return text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos;
}

}  // namespace

Json parse_json(std::string_view text, std::string_view source, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    refuse(source,
           std::to_string(text.size()) + " bytes of JSON, expected at most " + std::to_string(limits.max_bytes));
  }
  std::string quoted;
  if (may_have_python_literals(text)) {
    quoted = quote_python_literals(text);
    text = quoted;
  }
  std::vector<std::unordered_set<std::string>> keys_of_open_objects;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
        keys_of_open_objects.emplace_back();
        [[fallthrough]];
      case Json::parse_event_t::array_start:
        if (depth >= limits.max_depth) {
          refuse(source, "JSON nested deeper than " + std::to_string(limits.max_depth) + " levels");
        }
        break;
      case Json::parse_event_t::key: {
        const auto& key = parsed.get_ref<const std::string&>();
        if (!keys_of_open_objects.back().insert(key).second) refuse(source, "duplicate key " + quote(key));
        break;
      }
      case Json::parse_event_t::object_end:
        keys_of_open_objects.pop_back();
        break;
      default:
        break;
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), check);
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …": the part after the bracket is for people.
    std::string what = error.what();
    if (const size_t bracket = what.find("] "); bracket != std::string::npos) what.erase(0, bracket + 2);
    refuse(source, "not valid JSON: " + excerpt(what, kMaxReasonBytes));
  }
}

std::string json_excerpt(const Json& value) {
  return excerpt(value.dump(-1, ' ', false, Json::error_handler_t::replace), 60);
}

}  // namespace bert
