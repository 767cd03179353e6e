// What tells one family's tokenizer from another's where there is no tokenizer.json to say it, as data: special tokens,
// template, and how the ids count. No other file here names a family. Source: Hugging Face transformers 4.57.6, the
// tokenizer classes and convert_slow_tokenizer. Read-only data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bert {

// The component of tokenizer.json that puts <s> A </s> </s> B </s> around texts.
extern const std::string_view kDoubleSeparatorProcessing;

enum class TokenizerFiles : uint8_t { kWordPiece, kByteLevelBpe, kSentencePiece };
enum class TemplateKind : uint8_t {
  kBert,                 // [CLS] A [SEP] B [SEP], type 1 from B on
  kDoubleSeparator,      // <s> A </s> </s> B </s>, all of type 0
  kDoubleSeparatorTyped  // the same with type 1 from B on
};

struct ScoredToken {
  std::string_view token;
  double score;
};

// How a family's ids follow from those of its SentencePiece file.
struct PieceMapping {
  std::vector<ScoredToken> leading;  // tokens of the family's own, from id 0
  size_t first_piece = 0;            // then the file's pieces from here
  bool mask_at_end = false;          // then the mask token
  // Quotes of two characters to one, accents and capitals away as tokenizer_config.json says, numbers without a comma.
  bool prepared = false;
};

struct TokenizerFamily {
  std::string_view class_name;  // tokenizer_class without "Tokenizer" and "Fast"
  std::string_view model_type;  // of config.json
  TokenizerFiles files;
  std::string_view unknown, separator, padding, classifier, mask;
  std::vector<std::string_view> additional = {};  // more special tokens
  bool mask_takes_space = false;                  // the white space before it
  TemplateKind template_kind = TemplateKind::kBert;
  PieceMapping pieces = {};
};

std::span<const TokenizerFamily> tokenizer_families();

// By tokenizer_class ("…Tokenizer" or "…TokenizerFast"), or by model_type; null where it is none of them.
const TokenizerFamily* family_of_class(std::string_view tokenizer_class);
const TokenizerFamily* family_of_model(std::string_view model_type);

// The family whose files these are where nothing names one; null where there are several.
const TokenizerFamily* default_family(TokenizerFiles files);

}  // namespace bert
