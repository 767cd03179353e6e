// The Unicode normalization forms NFD, NFKD, NFC and NFKC of a text, which keeps its alignment. The tables are of
// Unicode 9.0, as the reference's (tokenizer/unicode/unicode.h). Stateless; safe to call from many threads.
#pragma once

#include <string_view>

#include "tokenizer/normalizer/normalized_text.h"

namespace bert {

struct NormalForm {
  bool compatibility = false;  // NFKD, NFKC
  bool composed = false;       // NFC, NFKC
  bool operator==(const NormalForm&) const = default;
};

void apply(const NormalForm& form, NormalizedText& text);

// Returns whether the NFC of a valid UTF-8 text certainly equals the text: no character has a combining class, composes
// with the character before it or is replaced when alone. Returns false for some texts that equal their NFC.
bool is_surely_nfc(std::string_view text);

}  // namespace bert
