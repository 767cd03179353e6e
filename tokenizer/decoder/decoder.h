// The decoder: converts tokens back to text, in steps that each transform the list of tokens. Source: Hugging Face
// tokenizers 0.22.2, decoders. Plain data; any number of threads may use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tokenizer/pattern/pattern.h"

namespace bert {

// The library whose rules for cleaning decoded text are applied: no spaces before punctuation and in English
// contractions. transformers cleans the whole text (clean_up_tokenization_spaces). tokenizers' WordPiece decoder cleans
// each token, and also shortens "do not".
enum class CleanUp : uint8_t { kTransformers, kTokenizers };

std::string clean_up_spaces(std::string text, CleanUp rules);

// Replaces each `from`, left to right; an empty `from` matches nothing.
void replace_all(std::string& text, std::string_view from, std::string_view to);

// For each token but the first: removes the prefix, or else adds a space in front.
struct WordPieceDecoder {
  std::string prefix = "##";
  bool cleanup = true;  // removes spaces before . , ? ! and in English contractions, token by token
  bool operator==(const WordPieceDecoder&) const = default;
};
// Maps characters to bytes (tokenizer/model/byte_level.h); invalid UTF-8 becomes U+FFFD.
struct ByteLevelDecoder {
  bool operator==(const ByteLevelDecoder&) const = default;
};
// Replaces the mark by a space; removes it from the first token if `prepended`.
struct MetaspaceDecoder {
  char32_t mark = 0x2581;
  bool prepended = true;
  bool operator==(const MetaspaceDecoder&) const = default;
};
// Replaces the suffix by a space; removes it from the last token.
struct SuffixDecoder {
  std::string suffix = "</w>";
  bool operator==(const SuffixDecoder&) const = default;
};
struct ReplaceDecoder {
  Pattern pattern;
  std::string content;
  bool operator==(const ReplaceDecoder&) const = default;
};
// Decodes runs of <0xNN> to bytes; if a run is not UTF-8, each byte becomes U+FFFD.
struct ByteFallbackDecoder {
  bool operator==(const ByteFallbackDecoder&) const = default;
};
// Joins all tokens.
struct FuseDecoder {
  bool operator==(const FuseDecoder&) const = default;
};
// Strips up to `start` and `stop` characters of each token.
struct StripDecoder {
  char32_t content = U' ';
  size_t start = 0;
  size_t stop = 0;
  bool operator==(const StripDecoder&) const = default;
};

using DecoderStep = std::variant<WordPieceDecoder, ByteLevelDecoder, MetaspaceDecoder, SuffixDecoder, ReplaceDecoder,
                                 ByteFallbackDecoder, FuseDecoder, StripDecoder>;

struct Decoder {
  std::vector<DecoderStep> steps;  // none: tokens are joined by spaces
  bool operator==(const Decoder&) const = default;

  std::string decode(std::vector<std::string> tokens) const;
};

}  // namespace bert
