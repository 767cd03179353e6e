// The Unicode normalization forms NFD, NFKD, NFC and NFKC of a text that keeps its alignment. The tables are of
// Unicode 9.0, as the reference's (tokenizer/unicode/unicode.h). Stateless; safe to call from many threads.
#pragma once

#include "tokenizer/normalizer/normalized_text.h"

namespace bert {

struct NormalForm {
  bool compatibility = false;  // NFKD, NFKC
  bool composed = false;       // NFC, NFKC
  bool operator==(const NormalForm&) const = default;
};

void apply(const NormalForm& form, NormalizedText& text);

}  // namespace bert
