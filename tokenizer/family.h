// Constant data that describes a family's tokenizer if there is no tokenizer.json; and the caller's families, found by
// the names in files. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
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
  std::span<const ScoredToken> leading = {};  // the family's own tokens, from id 0
  size_t first_piece = 0;                     // then the file's pieces from here
  bool mask_at_end = false;                   // then the mask token
  // Quotes of two characters become one, accents and capitals follow tokenizer_config.json, no piece ends in a digit
  // and a comma.
  bool prepared = false;
  // White space becomes single spaces, none at the end, and the text is composed (NFC); the file's own table is not
  // used. The same for tokenizer.json, of which the vocabulary counts alone.
  bool composed = false;
};

struct TokenizerFamily {
  TokenizerFiles files = TokenizerFiles::kWordPiece;
  bool usual = false;  // the default family of these files
  std::string_view unknown = "[UNK]", separator = "[SEP]", padding = "[PAD]", classifier = "[CLS]", mask = "[MASK]";
  std::span<const std::string_view> additional = {};  // more special tokens
  bool mask_takes_space = false;                      // the white space before it
  TemplateKind template_kind = TemplateKind::kBert;
  std::string_view processing = {};  // the component of tokenizer.json that is this template; empty: none
  PieceMapping pieces = {};
};

struct NamedTokenizer {
  std::string_view model_type;    // in config.json
  std::string_view class_prefix;  // of the tokenizer's class: "Bert" of BertTokenizer and BertTokenizerFast
  const TokenizerFamily* family;
};

// A view: the caller keeps the memory. All return null if there is no such family.
class TokenizerFamilies {
 public:
  // unsupported_classes: prefixes of class names whose vocab.txt would give wrong ids.
  TokenizerFamilies(std::vector<NamedTokenizer> families, std::span<const std::string_view> unsupported_classes)
      : families_(std::move(families)), unsupported_classes_(unsupported_classes) {}

  std::span<const NamedTokenizer> all() const { return families_; }
  const TokenizerFamily* of_class(std::string_view tokenizer_class) const;
  const TokenizerFamily* of_model(std::string_view model_type) const;
  const TokenizerFamily* usual(TokenizerFiles files) const;
  const TokenizerFamily* of_processing(std::string_view component) const;
  bool is_unsupported_class(std::string_view tokenizer_class) const;

 private:
  const TokenizerFamily* find(const std::function<bool(const NamedTokenizer&)>& matches) const;
  std::vector<NamedTokenizer> families_;
  std::span<const std::string_view> unsupported_classes_;
};

}  // namespace bert
