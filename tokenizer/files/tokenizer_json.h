// Reads tokenizer.json, the reference's own file: normalizer, pre-tokenizer, model, post-processor, decoder and added
// tokens. Unsupported components are rejected by name; truncation and padding in the file are reported, not applied.
// Stateless; safe to call from many threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/files/special_tokens.h"
#include "tokenizer/files/tokenizer_json_parser.h"
#include "tokenizer/files/tokenizer_json_text.h"
#include "tokenizer/settings.h"

namespace bert {

struct TokenizerJson {
  TokenizerSettings settings;  // without added_tokens: a second file may change them
  std::vector<ListedToken> added_tokens;
  std::optional<BertNormalizerFields> bert_normalizer;  // set if the normalizer is a BertNormalizer
  std::string pad_token = "[PAD]";
  std::optional<size_t> truncation_length;  // in tokens
  std::string unapplied;                    // describes truncation and padding; "": the file has neither
};

// Throws Error: kInvalidFile for a malformed file, kUnsupported for a component that is not implemented.
TokenizerJson read_tokenizer_json(std::string_view text, std::string_view source, const TokenizerFamilies& families,
                                  ScoreNumbers scores = ScoreNumbers::kReference);

}  // namespace bert
