// tokenizer.json: normalizer, pre-tokenizer, model, post-processor, decoder and added tokens of the reference's own
// file. What is not implemented is refused by its name; truncation and padding that the file carries are not applied,
// and told. Stateless; safe to call from many threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/settings.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/tokenizer_json_text.h"

namespace bert {

struct TokenizerJson {
  TokenizerSettings settings;  // added_tokens not made yet: a second file may have a word to say first
  std::vector<ListedToken> added_tokens;
  std::optional<BertNormalizerFields> bert_normalizer;  // where the normalizer is a BertNormalizer
  std::string pad_token = "[PAD]";
};

// Throws Error: kInvalidFile where it is malformed, kUnsupported where it names a component that is not implemented.
TokenizerJson read_tokenizer_json(std::string_view text, std::string_view source, const TokenizerFamilies& families);

}  // namespace bert
