#include "tokenizer/text_pass.h"

#include <optional>
#include <string>

#include "bert/error.h"
#include "engine/base/utf8.h"
#include "tokenizer/normalizer/normalized_text.h"

namespace bert {

void refuse_byte(std::string_view text, std::string_view what, size_t position) {
  constexpr char kHex[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(text[position]);
  throw Error(ErrorCode::kInvalidText, std::string(what) + ": not valid UTF-8 at byte " + std::to_string(position) +
                                           ": found 0x" + kHex[byte >> 4] + kHex[byte & 15]);
}

void SequenceState::check_bytes(size_t begin, size_t end) const {
  if (end > kMaxOriginal) {
    throw Error(ErrorCode::kInvalidText, std::string(what) + ": found " + std::to_string(text.size()) +
                                             " bytes, expected at most " + std::to_string(kMaxOriginal));
  }
  const std::optional<size_t> position = find_invalid_utf8(text.substr(begin, end - begin));
  if (position) refuse_byte(text, what, begin + *position);
}

}  // namespace bert
