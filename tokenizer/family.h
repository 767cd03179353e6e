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

enum class TokenizerFiles : uint8_t {
  kWordPiece,
  kByteLevelBpe,
  kSentencePiece,
  kTokenizerJson  // only that file: no class makes a tokenizer of others
};
enum class TemplateKind : uint8_t {
  kBert,            // [CLS] A [SEP] B [SEP], type 1 from B on
  kDoubleSeparator  // <s> A </s> </s> B </s>, all of type 0
};

// How the reference reads the tokenizer.json of a model type.
enum class JsonReading : uint8_t {
  kByClass,    // by the class that the files name, else by the family's own class
  kNoClass,    // by the class that the files name, else as it is
  kAlwaysAsIs  // as it is, whatever class the files name
};

// The normalizer and the pre-tokenizer that a class of the reference makes itself, where tokenizer.json's are used
// here.
enum class UnappliedText : uint8_t { kNone, kQwen2, kGemma };

struct ScoredToken {
  std::string_view token;
  double score;
};

// How a family's SentencePiece tokenizer prepares texts.
enum class PieceText : uint8_t {
  kPlain,     // by the file's table
  kPrepared,  // quotes of two characters become one, accents and capitals follow tokenizer_config.json; then the table
  kComposed   // capitals follow tokenizer_config.json, runs of white space become one space, NFC; no table
};

// Which piece of tokenizer.json's Unigram a family's class gives to characters without one.
enum class UnknownPiece : uint8_t {
  kFixed,             // unknown_id
  kNamed,             // the unknown token; id 0 if it is no piece
  kNamedWithoutScore  // the unknown token if its score is 0, else unk_id of tokenizer_config.json, else unknown_id
};

// How a family's ids follow from those of its SentencePiece file.
struct PieceMapping {
  std::span<const ScoredToken> leading = {};  // the family's own tokens, from id 0
  size_t first_piece = 0;                     // then the file's pieces from here
  bool mask_at_end = false;                   // then the mask token
  PieceText text = PieceText::kPlain;         // kPrepared: no piece ends in a digit and a comma, either
  UnknownPiece unknown = UnknownPiece::kFixed;
  int32_t unknown_id = 0;
};

struct TokenizerFamily {
  TokenizerFiles files = TokenizerFiles::kWordPiece;
  bool usual = false;  // the default family of these files
  std::string_view unknown = "[UNK]", separator = "[SEP]", padding = "[PAD]", classifier = "[CLS]", mask = "[MASK]";
  std::string_view beginning = {}, end = {};          // empty: no such token
  std::span<const std::string_view> additional = {};  // more special tokens
  bool mask_takes_space = false;                      // the white space before it
  TemplateKind template_kind = TemplateKind::kBert;
  bool template_has_ends = false;    // beginning and end in place of classifier and separator
  bool keeps_json_template = false;  // that of tokenizer.json, where there is one
  // The model gets type_ids, unless tokenizer_config.json says otherwise: of the class of the model type, and of the
  // class where the files name it.
  bool has_segments = true, has_segments_if_named = true;
  bool trims_spans = false;          // for WordPiece; for BPE tokenizer_config.json decides
  std::string_view processing = {};  // the component of tokenizer.json that is this template; empty: none
  JsonReading json_reading = JsonReading::kByClass;
  UnappliedText unapplied_text = UnappliedText::kNone;          // of the class that a file names
  UnappliedText unapplied_text_of_type = UnappliedText::kNone;  // of the model type, where none is named
  std::span<const std::string_view> same_classes = {};  // prefixes of classes that are this one under another name
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
