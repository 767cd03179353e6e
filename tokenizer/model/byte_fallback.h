// Byte fallback: text without a token becomes the tokens "<0x00>" to "<0xFF>" of its bytes.
// Immutable; any number of threads may read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tokenizer/model/vocabulary.h"

namespace bert {

class ByteFallback {
 public:
  explicit ByteFallback(const Vocabulary& vocabulary);

  // Returns whether each byte of the text has a token.
  bool covers(std::string_view text) const;
  int32_t id(char byte) const { return ids_[static_cast<unsigned char>(byte)]; }  // -1: no token

 private:
  std::array<int32_t, 256> ids_;
};

// Returns the byte of "<0x4A>"; nullopt for any other token.
std::optional<char> fallback_byte(std::string_view token);

}  // namespace bert
