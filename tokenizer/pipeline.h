// One sequence of text to tokens: added tokens, normalizer, pre-tokenizer and model. WordPiece with a single
// BertNormalizer and BertSplitRules that split at spaces is one pass over the bytes: plain ASCII words, most of an
// English text, are looked up directly, all others go character by character through BertNormalizerStream. Byte-level
// BPE is one pass too (tokenizer/byte_level_pass.h), and so are plain words between white space that get a mark
// (tokenizer/spaced_word_pass.h). Otherwise each step processes a piece of the text, up to a place where the tokens
// before it cannot depend on what follows.
// Immutable; any number of threads may use one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bert/tokenizer.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/byte_level_pass.h"
#include "tokenizer/model/byte_level.h"
#include "tokenizer/model/chunk_cache.h"
#include "tokenizer/model/subword_model.h"
#include "tokenizer/model/wordpiece.h"
#include "tokenizer/normalizer/bert_normalizer.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/pre_tokenizer/bert_split_rules.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"
#include "tokenizer/spaced_word_pass.h"
#include "tokenizer/token_list.h"

namespace bert {

// A token whose characters are not the vocabulary's: an added token has those that it matched, Unigram's unknown token
// those of its text.
struct VerbatimToken {
  size_t index;  // in the sequence
  EndSpaces spaces;
};

class Pipeline {
 public:
  static constexpr size_t kPiece = 65536;

  // Keeps references to the added tokens and the model. piece: bytes of a text that the steps process at once, where
  // the text may be cut; no result depends on it.
  Pipeline(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer, const AddedTokens& added_tokens,
           const SubwordModel& model, size_t piece = kPiece);

  // Appends the tokens of text, and to `verbatim`, if not null, those that are. Throws Error(kInvalidText): `what`
  // (text, pair) is not valid UTF-8, with the byte position.
  void encode(std::string_view text, std::string_view what, bool split_special, TokenList& tokens,
              std::vector<VerbatimToken>* verbatim = nullptr) const;

 private:
  class WordSink;
  class SubwordReader;
  struct Run;
  // Between two added tokens of the raw text.
  void encode_piece(Run& run, size_t begin, size_t end) const;
  void encode_bytes(Run& run, size_t begin, size_t end) const;
  void encode_in_steps(Run& run, size_t begin, size_t end) const;
  void encode_normalized(Run& run, NormalizedText normalized) const;
  bool may_cut(std::string_view normalized, size_t at) const;
  void encode_at_once(Run& run, size_t begin, size_t end) const;
  size_t encode_chunk(Run& run, size_t begin, size_t end, ChunkCache& cache) const;
  std::optional<ChunkCache::Tokens> tokens_of_chunk(std::string_view chunk, std::vector<WordPieceToken>& pieces) const;
  template <class Tokens>
  size_t encode_plain(std::string_view text, size_t begin, int32_t& word, std::vector<WordPieceToken>& pieces,
                      Tokens& tokens) const;
  size_t encode_slow(Run& run, size_t begin, size_t end) const;

  // Classes of ASCII bytes in the fast path; other values are the normalized letter.
  static constexpr char kSlow = 0, kSpace = 1, kAlone = 2;

  Normalizer normalizer_;
  PreTokenizer pre_tokenizer_;
  const AddedTokens& added_tokens_;
  const SubwordModel& model_;
  size_t piece_;
  // For the single pass; null if it is not possible.
  const WordPiece* words_ = nullptr;
  std::array<char, 256> ascii_{};
  std::array<int32_t, 128> alone_ids_{};  // the token of a punctuation character
  uint32_t cache_owner_ = 0;              // 0: chunks are not in the cache
  std::optional<ByteLevelPass> bytes_;
  std::optional<SpacedWordPass> spaced_words_;
};

}  // namespace bert
