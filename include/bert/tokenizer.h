// Text to ids and back: the tokenizer of a model's directory (WordPiece, byte-level BPE, Unigram). Its ids equal those
// of the Hugging Face fast tokenizer.
// A Tokenizer is immutable after loading; any number of threads may use one at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/error.h"
#include "bert/export.h"
#include "bert/string_range.h"

namespace bert {

// A half-open range of the original text, or of the pair for a token of the pair; in UTF-8 bytes unless stated
// otherwise.
struct Offset {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const Offset&) const = default;
};

inline constexpr int32_t kNoWord = -1;      // word_ids entry of a token that the template or padding added
inline constexpr int32_t kNoSequence = -1;  // sequence_ids entry of such a token

// One tokenised text or pair, or one window of it. All vectors have one entry per token, except those that
// TokenizeOptions leave empty.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;             // the segment: 0 for the text, 1 for the pair, as the model's template
                                             // says
  std::vector<uint8_t> attention_mask;       // 0 for padding, else 1
  std::vector<uint8_t> special_tokens_mask;  // 1 for tokens that the template or padding added
  std::vector<Offset> offsets;               // [0, 0) where special_tokens_mask is 1
  std::vector<Offset> code_point_offsets;    // offsets in code points; empty unless TokenizeOptions requests them
  std::vector<int32_t> word_ids;             // index of the word in its sequence, or kNoWord
  std::vector<int32_t> sequence_ids;         // 0: text, 1: pair, or kNoSequence
  size_t truncated_tokens = 0;               // tokens removed from text and pair; 0 for a window that is not the last
  size_t size() const { return ids.size(); }
};

enum class Truncation { kLongestFirst, kOnlyFirst, kOnlySecond, kError };
enum class Direction { kRight, kLeft };  // the side that is truncated or padded

struct Padding {
  size_t length = 0;       // pad to this many tokens; longer results stay as they are; 0: the result's length
  size_t multiple_of = 0;  // round the length up to a multiple; 0: no rounding, and with length 0 no padding
  Direction direction = Direction::kRight;
  bool operator==(const Padding&) const = default;
};

struct TokenizeOptions {
  bool add_special_tokens = true;
  // true: "[SEP]" in a text is plain text, not the special token. Default: as tokenizer_config.json says, else false.
  std::optional<bool> split_special_tokens = std::nullopt;
  size_t max_length = 0;  // limit of the result's tokens, including special tokens; 0: none
  Truncation truncation = Truncation::kLongestFirst;
  // Default: truncation_side of tokenizer_config.json, else that of tokenizer.json, else right.
  std::optional<Direction> truncation_direction = std::nullopt;
  size_t stride = 0;                // tokens that adjacent windows share; only for tokenize_windows
  size_t max_windows = 0;           // limit for a text and its pair; more are an error; 0: 4,194,304
  size_t pair_tokens = 0;           // room that is reserved for a shorter pair; only for tokenize_windows
  bool code_point_offsets = false;  // also compute offsets in code points, by which Python slices strings
  Padding padding = {};
  // true: only ids, type_ids, the two masks and truncated_tokens are computed, which takes less time; the other vectors
  // are empty.
  bool only_ids = false;
  bool operator==(const TokenizeOptions&) const = default;
};

struct TokenizerOptions {
  // Used if the files do not set it; an error if they contradict it.
  std::optional<bool> lowercase = std::nullopt;
  // For a static model: no special tokens are added, tokenizer.json is read without the files beside it, and
  // model_max_length() is the length of its truncation.
  bool of_static_model = false;
  // Adds Lowercase before the files' normalizer, unless the normalizer is or contains it. A model's directory sets it
  // by do_lower_case in sentence_bert_config.json.
  bool lowercase_first = false;
  bool special_tokens = true;  // false: none are added to a text; used for queries of SparseStaticEmbedding
  // Special tokens that are added to the vocabulary, after the files' own, unless the files have them.
  std::vector<std::string> added_special_tokens = {};
};

struct TokenizerSettings;  // resolved settings of the files; internal

class BERT_API Tokenizer {
 public:
  // Reads tokenizer.json, or the family's own files (vocab.txt; vocab.json and merges.txt; a SentencePiece model) with
  // tokenizer_config.json, special_tokens_map.json and added_tokens.json.
  // Throws Error: no tokenizer in the directory, a malformed file, settings that contradict each other.
  static Tokenizer load(const std::filesystem::path& directory, const TokenizerOptions& options = {});

  // Makes a tokenizer from a vocabulary (vocab.txt: one token per line) and the text of a tokenizer_config.json ("":
  // none).
  static Tokenizer from_vocabulary(std::string_view vocabulary, std::string_view tokenizer_config,
                                   const TokenizerOptions& options = {});

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // Tokenises a text, or a text and a pair; tokens beyond options.max_length are removed and counted in
  // truncated_tokens. Throws Error for invalid UTF-8 (with the byte position), and for a text that the strategy cannot
  // truncate.
  Encoding tokenize(std::string_view text, const TokenizeOptions& options = {}) const;
  Encoding tokenize(std::string_view text, std::string_view pair, const TokenizeOptions& options = {}) const;

  // Tokenises each text separately.
  template <StringRange Texts = TextList>
  std::vector<Encoding> tokenize(const Texts& texts, const TokenizeOptions& options = {}) const {
    std::vector<Encoding> encodings;
    for (const std::string_view text : text_views(texts)) encodings.push_back(tokenize(text, options));
    return encodings;
  }

  // Tokenises the words of a text that the caller divided, each separately; special tokens are added once. word_ids are
  // indices of `words`; offsets are relative to the word. (is_split_into_words of the reference.)
  Encoding tokenize_words(std::span<const std::string_view> words, const TokenizeOptions& options = {}) const;

  // Returns all windows of a text, in the reference's order.
  std::vector<Encoding> tokenize_windows(std::string_view text, std::optional<std::string_view> pair,
                                         const TokenizeOptions& options) const;

  // Converts ids to text as the reference does; spaces are cleaned up if tokenizer_config.json says so. Ids without a
  // token are skipped.
  std::string decode(std::span<const int32_t> ids, bool skip_special_tokens) const;

  // Returns the ids of one text with the special tokens that tokenize() would add.
  std::vector<int32_t> with_special_tokens(std::span<const int32_t> ids) const;

  // Converts tokens to text as decode() does.
  std::string join(std::span<const std::string> tokens) const;

  std::string_view token(int32_t id) const;                 // "" for an id without a token
  std::optional<int32_t> id(std::string_view token) const;  // also of added tokens
  std::optional<int32_t> mask_id() const;                   // of the token that the files name, else the family's
                                                            // default
  std::optional<int32_t> unknown_id() const;                // as mask_id
  // Returns the id of the token for text that no token covers, whatever its name; nullopt if there is no such token.
  std::optional<int32_t> model_unknown_id() const;
  int32_t padding_id() const;                      // as mask_id; 0 if there is none
  size_t vocabulary_size() const;                  // the largest id + 1
  size_t added_special_tokens(bool pair) const;    // number that the template adds: 2 and 3 for BERT
  std::optional<size_t> model_max_length() const;  // as tokenizer_config.json says, if below 1e6
  // Returns whether type_ids are inputs of the model: if model_input_names of tokenizer_config.json contains
  // token_type_ids, or, without that key, if the reference's tokenizer class has them. If not, all type_ids are 0.
  bool has_segments() const;

  // Returns the prefix of tokens that continue a word: "##" for WordPiece; "" if the model has none.
  std::string_view continuing_prefix() const;

  // Messages for the user about how the files were read, one line each.
  const std::vector<std::string>& notices() const;
  // Settings in the files, such as padding, that the library leaves to the caller; one line each.
  const std::vector<std::string>& remarks() const;

 private:
  struct Impl;
  explicit Tokenizer(TokenizerSettings settings);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace bert
