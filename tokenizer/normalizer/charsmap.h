// The Precompiled normalizer: SentencePiece's replacement table as stored in its models and in tokenizer.json: a
// double-array trie over bytes, and the replacement texts. Applied as in the reference, to each grapheme cluster; the
// shortest match wins. Source: Hugging Face tokenizers 0.22.2, normalizers/precompiled, crate spm_precompiled.
// Immutable; any number of threads may use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/normalizer/normalized_text.h"

namespace bert {

class Charsmap {
 public:
  // bytes: the trie's length in bytes (32 bits, little endian), the trie, the zero-terminated texts. Throws
  // Error(kInvalidFile), which names `source`.
  Charsmap(std::string_view bytes, std::string_view source);

  void apply(NormalizedText& text) const;

  // Returns whether the parts before text[at] and from text[at] on are normalized as in the whole text.
  bool may_cut(std::string_view text, size_t at) const;
  // Returns whether the table removes the beginning of the text, which shifts the sources of everything after it, as in
  // the reference.
  bool removes_beginning(std::string_view text) const;

 private:
  // Returns the replacement of the shortest prefix of `part` in the table.
  std::optional<std::string_view> find(std::string_view part) const;

  std::vector<uint32_t> units_;
  std::string texts_;
};

// Decodes RFC 4648, with padding; returns nullopt if the text is invalid.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace bert
