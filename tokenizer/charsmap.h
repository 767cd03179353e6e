// The Precompiled normalizer: SentencePiece's table of replacements as its models and tokenizer.json carry it, a
// double-array trie over bytes and the texts that it leads to. Applied as the reference does, by grapheme cluster, with
// the shortest match deciding. Source: Hugging Face tokenizers 0.22.2, normalizers/precompiled, crate spm_precompiled.
// Immutable; any number of threads may use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/normalized_text.h"

namespace bert {

class Charsmap {
 public:
  // The bytes: the trie's length in bytes (32 bits, little endian), the trie, the texts, each ended by a zero byte.
  // Throws Error(kInvalidFile) naming `source`.
  Charsmap(std::string_view bytes, std::string_view source);

  void apply(NormalizedText& text) const;

 private:
  // What the shortest beginning of `part` that the table has becomes.
  std::optional<std::string_view> find(std::string_view part) const;

  std::vector<uint32_t> units_;
  std::string texts_;
};

// RFC 4648, with padding; nullopt where the text is not.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace bert
