// Constant data that describes a family's tokenizer: what its class makes without tokenizer.json, and what it replaces
// in one; and the lookup of a family by the names in files. Stateless; safe to call from many threads.
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
  kTokenList,     // vocab.txt, whose tokens are matched in the text; other words are unknown
  kTokenizerJson  // only that file: no class makes a tokenizer of others
};
enum class TemplateKind : uint8_t {
  kBert,             // [CLS] A [SEP] B [SEP], type 1 from B on
  kDoubleSeparator,  // <s> A </s> </s> B </s>, all of type 0
  kEnds              // A </s> B </s>, all of type 0
};

// Whether the reference uses the parts of tokenizer.json as they are, or replaces them by those that a tokenizer class
// makes. The class is the one that the files name; the value says what happens where they name none.
enum class JsonReading : uint8_t {
  kByClass,    // the class of the model type makes them
  kNoClass,    // as they are; also where the files name this family's class
  kAlwaysAsIs  // as they are, whatever class the files name
};

// The class of the reference that makes its own normalizer and pre-tokenizer. Those of tokenizer.json are used here for
// Qwen2's and Gemma's, and replaced for the others'; a notice says so if they differ.
enum class UnappliedText : uint8_t { kNone, kQwen2, kGemma, kLlama, kBigBird, kMBart };

struct ScoredToken {
  std::string_view token;
  double score;
};

// How a family's SentencePiece tokenizer prepares texts.
enum class PieceText : uint8_t {
  kPlain,     // only the file's charsmap
  kPrepared,  // `` and '' become ", then keep_accents and do_lower_case of tokenizer_config.json, then the charsmap
  kComposed   // do_lower_case of tokenizer_config.json, runs of white space become one space, NFC; no charsmap
};

// Which piece of the Unigram model a family's class gives to characters that no piece has.
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
  // Then so many special tokens, from "<extra_id_99>" to "<extra_id_0>"; extra_ids of tokenizer_config.json counts
  // before. 0: none, whatever it says.
  size_t extra_ids = 0;
  PieceText text = PieceText::kPlain;  // kPrepared also lowers the score of pieces that end as "9," by 100
  UnknownPiece unknown = UnknownPiece::kFixed;
  int32_t unknown_id = 0;
};

struct TokenizerFamily {
  TokenizerFiles files = TokenizerFiles::kWordPiece;
  bool usual = false;  // the family for `files` where neither a class nor a model type names one
  std::string_view unknown = "[UNK]", separator = "[SEP]", padding = "[PAD]", classifier = "[CLS]", mask = "[MASK]";
  std::string_view beginning = {}, end = {};          // bos_token and eos_token; empty: no such token
  std::span<const std::string_view> additional = {};  // more special tokens
  bool mask_takes_space = false;                      // the mask token includes the white space before it (lstrip)
  TemplateKind template_kind = TemplateKind::kBert;
  bool template_has_ends = false;    // beginning and end in place of classifier and separator
  bool keeps_json_template = false;  // tokenizer.json's template is used, not the class's
  // Whether the model gets type_ids: where no file names a tokenizer class, and where the files name this family's.
  // model_input_names of tokenizer_config.json overrides both.
  bool has_segments = true, has_segments_if_named = true;
  bool trims_spans = false;          // for WordPiece; for BPE tokenizer_config.json decides
  std::string_view processing = {};  // type of the post_processor of tokenizer.json with this template; empty: none
  JsonReading json_reading = JsonReading::kByClass;
  UnappliedText unapplied_text = UnappliedText::kNone;          // of the class that a file names
  UnappliedText unapplied_text_of_type = UnappliedText::kNone;  // of the model type, where none is named
  std::span<const std::string_view> same_classes = {};          // class_prefix of other classes that work the same
  PieceMapping pieces = {};
};

struct NamedTokenizer {
  std::string_view model_type;    // in config.json
  std::string_view class_prefix;  // of the tokenizer's class: "Bert" of BertTokenizer and BertTokenizerFast
  const TokenizerFamily* family;
};

// The strings, the families and unsupported_classes belong to the caller and must outlive this object. The lookups
// return the first family that matches, or null.
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
