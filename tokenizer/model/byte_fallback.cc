#include "tokenizer/model/byte_fallback.h"

#include <algorithm>
#include <string>

namespace bert {

ByteFallback::ByteFallback(const Vocabulary& vocabulary) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (size_t byte = 0; byte < ids_.size(); ++byte) {
    ids_[byte] = vocabulary.id(std::string("<0x") + kHex[byte >> 4] + kHex[byte & 15] + ">").value_or(-1);
  }
}

bool ByteFallback::covers(std::string_view text) const {
  return std::all_of(text.begin(), text.end(), [&](char byte) { return id(byte) >= 0; });
}

std::optional<char> fallback_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
  int value = 0;
  for (const char digit : token.substr(3, 2)) {
    const size_t found = std::string_view("0123456789abcdefABCDEF").find(digit);
    if (found == std::string_view::npos) return std::nullopt;
    value = value * 16 + static_cast<int>(found < 16 ? found : found - 6);
  }
  return static_cast<char>(value);
}

}  // namespace bert
