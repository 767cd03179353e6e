#include "tokenizer/files/tokenizer_json_fields.h"

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

namespace bert {

void refuse_component(const JsonObject& object, const std::string& what) {
  throw Error(ErrorCode::kUnsupported,
              quote(object.source()) + ": " + object.where() + " " + what + " is not supported");
}

std::string type_of(const JsonObject& object) { return object.required_string("type"); }

std::vector<JsonObject> elements(const JsonObject& sequence, const char* key) {
  std::vector<JsonObject> result;
  for (const Json element : sequence.required_array(key)) {
    const std::string place = sequence.name(key) + "[" + std::to_string(result.size()) + "]";
    result.emplace_back(element, sequence.source(), place);
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
