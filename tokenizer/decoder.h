// The decoder: tokens back to text, in steps that each turn the list of tokens into another. Source: Hugging Face
// tokenizers 0.22.2, decoders. Plain data; any number of threads may use one.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace bert {

// A space before each token but the first and those with the prefix, which loses it.
struct WordPieceDecoder {
  std::string prefix = "##";
  bool cleanup = true;  // no space before . , ? ! and English contractions, token by token
};
// Characters to the bytes they stand for (tokenizer/byte_level.h); what is then not UTF-8 becomes U+FFFD.
struct ByteLevelDecoder {};
// The mark to a space, or, where one was put in front, to nothing at the beginning.
struct MetaspaceDecoder {
  char32_t mark = 0x2581;
  bool prepended = true;
};
// A token's suffix to a space, at the end to nothing.
struct SuffixDecoder {
  std::string suffix = "</w>";
};
struct ReplaceDecoder {
  std::string pattern;
  std::string content;
};
// Runs of <0xNN> to their bytes, or, where those are not UTF-8, U+FFFD for each.
struct ByteFallbackDecoder {};
// All tokens to one.
struct FuseDecoder {};
// At most so many of a character off both ends of each token.
struct StripDecoder {
  char32_t content = U' ';
  size_t start = 0;
  size_t stop = 0;
};

using DecoderStep = std::variant<WordPieceDecoder, ByteLevelDecoder, MetaspaceDecoder, SuffixDecoder, ReplaceDecoder,
                                 ByteFallbackDecoder, FuseDecoder, StripDecoder>;

struct Decoder {
  std::vector<DecoderStep> steps;  // none: tokens joined by spaces

  std::string decode(std::vector<std::string> tokens) const;
};

}  // namespace bert
