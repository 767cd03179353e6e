// Constant data that describes a family's tokenizer: what its class creates without tokenizer.json, and what the class
// replaces in a tokenizer.json; and the lookup of a family by names in files. Stateless; safe to call from many
// threads.
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
  kTokenizerJson  // only this file: no class creates a tokenizer from other files
};
enum class TemplateKind : uint8_t {
  kBert,             // [CLS] A [SEP] B [SEP], type 1 from B on
  kDoubleSeparator,  // <s> A </s> </s> B </s>, all of type 0
  kEnds              // A </s> B </s>, all of type 0
};

// Whether the reference uses the parts of tokenizer.json as they are, or a tokenizer class replaces them. The files may
// name the class; the value says what happens if they name none.
enum class JsonReading : uint8_t {
  kByClass,    // the class of the model type replaces them
  kNoClass,    // they are used as they are, also if the files name this family's class
  kAlwaysAsIs  // they are used as they are, whatever class the files name
};

// The reference's class that creates its own normalizer and pre-tokenizer. For Qwen2's and Gemma's class, this library
// uses those of tokenizer.json, and a notice says so if they differ; for the other classes it replaces them.
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

// Which piece of the Unigram model a family's class uses for characters that no piece covers.
enum class UnknownPiece : uint8_t {
  kFixed,             // unknown_id
  kNamed,             // the unknown token; id 0 if it is not a piece
  kNamedWithoutScore  // the unknown token if its score is 0, else unk_id of tokenizer_config.json, else unknown_id
};

// How a family's ids follow from the ids of its SentencePiece file.
struct PieceMapping {
  std::span<const ScoredToken> leading = {};  // the family's own tokens, from id 0
  size_t first_piece = 0;                     // then the file's pieces from this one on
  bool mask_at_end = false;                   // then the mask token
  // Then this many special tokens, from "<extra_id_99>" to "<extra_id_0>"; extra_ids of tokenizer_config.json has
  // precedence. 0: none, whatever extra_ids says.
  size_t extra_ids = 0;
  PieceText text = PieceText::kPlain;  // kPrepared also lowers the score of pieces such as "9," by 100
  UnknownPiece unknown = UnknownPiece::kFixed;
  int32_t unknown_id = 0;
};

struct TokenizerFamily {
  TokenizerFiles files = TokenizerFiles::kWordPiece;
  bool usual = false;  // the family for `files` if no class and no model type names one
  std::string_view unknown = "[UNK]", separator = "[SEP]", padding = "[PAD]", classifier = "[CLS]", mask = "[MASK]";
  std::string_view beginning = {}, end = {};          // bos_token and eos_token; empty: no such token
  std::span<const std::string_view> additional = {};  // more special tokens
  bool mask_takes_space = false;                      // the mask token includes the white space before it (lstrip)
  TemplateKind template_kind = TemplateKind::kBert;
  bool template_has_ends = false;    // beginning and end instead of classifier and separator
  bool keeps_json_template = false;  // tokenizer.json's template is used, not the class's
  // Whether the model gets type_ids: the first if no file names a tokenizer class, the second if the files name this
  // family's. model_input_names of tokenizer_config.json overrides both.
  bool has_segments = true, has_segments_if_named = true;
  bool trims_spans = false;          // for WordPiece; for BPE tokenizer_config.json decides
  std::string_view processing = {};  // type of tokenizer.json's post_processor with this template; empty: none
  JsonReading json_reading = JsonReading::kByClass;
  UnappliedText unapplied_text = UnappliedText::kNone;          // for the class that a file names
  UnappliedText unapplied_text_of_type = UnappliedText::kNone;  // for the model type, if no class is named
  std::span<const std::string_view> same_classes = {};          // class_prefix of other classes that work alike
  PieceMapping pieces = {};
};

struct NamedTokenizer {
  std::string_view model_type;    // in config.json
  std::string_view class_prefix;  // of the tokenizer's class: "Bert" for BertTokenizer and BertTokenizerFast
  const TokenizerFamily* family;
};

// Finds a tokenizer family by name. The strings, the families and unsupported_classes belong to the caller and must
// outlive this object. The lookups return the first family that matches, or null.
class TokenizerFamilies {
 public:
  // unsupported_classes: prefixes of names of classes for which vocab.txt would give wrong ids.
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
