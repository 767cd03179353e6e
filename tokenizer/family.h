// What tells one family's tokenizer from another's where there is no tokenizer.json to say it, as data. The families'
// own files hold it, in models/families/; a tokenizer without one is BERT's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bert {

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
  std::vector<ScoredToken> leading = {};  // tokens of the family's own, from id 0
  size_t first_piece = 0;                 // then the file's pieces from here
  bool mask_at_end = false;               // then the mask token
  // Quotes of two characters to one, accents and capitals away as tokenizer_config.json says, numbers without a comma.
  bool prepared = false;
};

struct TokenizerFamily {
  TokenizerFiles files = TokenizerFiles::kWordPiece;
  bool usual = false;  // the family of these files where nothing names one
  std::string_view unknown = "[UNK]", separator = "[SEP]", padding = "[PAD]", classifier = "[CLS]", mask = "[MASK]";
  std::vector<std::string_view> additional = {};  // more special tokens
  bool mask_takes_space = false;                  // the white space before it
  TemplateKind template_kind = TemplateKind::kBert;
  std::string_view processing = {};  // the component of tokenizer.json that is this template; empty: none
  PieceMapping pieces = {};
};

// models/family.cc has the list. Null where there is none such.
std::span<const TokenizerFamily* const> tokenizer_families();
const TokenizerFamily* tokenizer_of_class(std::string_view tokenizer_class);  // "…Tokenizer" or "…TokenizerFast"
const TokenizerFamily* tokenizer_of_model(std::string_view model_type);       // of config.json
const TokenizerFamily* usual_tokenizer(TokenizerFiles files);
const TokenizerFamily* tokenizer_of_processing(std::string_view component);
// Of a family that is not done, whose vocab.txt would give wrong ids.
bool is_other_tokenizer(std::string_view tokenizer_class);

}  // namespace bert
