#include "tokenizer/pre_tokenizer/words.h"

#include "bert/error.h"
#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {

bool is_python_space(char32_t c) { return unicode::is_space(c) || (c >= 0x1C && c <= 0x1F); }

bool is_python_word(char32_t c) { return c == '_' || unicode::is_letter(c) || unicode::is_number(c); }

std::vector<Offset> split_words(std::string_view text) {
  if (const auto invalid = find_invalid_utf8(text)) {
    throw Error(ErrorCode::kInvalidText, "text: not valid UTF-8 at byte " + std::to_string(*invalid));
  }
  std::vector<Offset> words;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    const size_t next = at + c.bytes;
    const bool is_word = is_python_word(c.code_point);
    const bool joins =
        c.code_point == '-' && in_word && next < text.size() && is_python_word(decode_utf8(text, next).code_point);
    if (in_word && (is_word || joins)) {
      words.back().end = next;
    } else if (!is_python_space(c.code_point)) {
      words.push_back({at, next});
    }
    in_word = is_word || joins;
    at = next;
  }
  return words;
}

}  // namespace bert
