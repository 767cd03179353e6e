#include "tokenizer/tokenizer_json_fields.h"

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

namespace bert {

void refuse_component(const JsonObject& object, const std::string& what) {
  throw Error(ErrorCode::kUnsupported, quote(object.source) + ": " + object.where + " " + what + " is not supported");
}

std::string type_of(const JsonObject& object) { return object.check().required_string("type"); }

std::optional<JsonObject> component(const JsonObject& file, const char* key) {
  const auto found = file.json.find(key);
  if (found == file.json.end() || found->is_null()) return std::nullopt;
  return file.required_object(key);
}

std::vector<JsonObject> elements(const JsonObject& sequence, const char* key) {
  const auto found = sequence.json.find(key);
  if (found == sequence.json.end() || !found->is_array()) sequence.refuse(key, "an array");
  std::vector<JsonObject> result;
  for (size_t i = 0; i < found->size(); ++i) {
    result.push_back({(*found)[i], sequence.source, sequence.name(key) + "[" + std::to_string(i) + "]"});
  }
  return result;
}

char32_t required_character(const JsonObject& object, const char* key) {
  const std::string text = object.required_string(key);
  const Utf8Char c = text.empty() ? Utf8Char{0, 0} : decode_utf8(text, 0);
  if (c.bytes == 0 || c.bytes != text.size()) object.refuse(key, "one character");
  return c.code_point;
}

}  // namespace bert
