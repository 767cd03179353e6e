// WordPiece with a single BertNormalizer and BertSplitRules that split at spaces, in one pass over the bytes. Plain
// ASCII words, most of an English text, are looked up directly; all other words pass character by character through
// BertNormalizerStream. The thread's cache keeps the tokens of short words. Immutable; any number of threads may use
// one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tokenizer/added_tokens.h"
#include "tokenizer/model/chunk_cache.h"
#include "tokenizer/model/subword_model.h"
#include "tokenizer/model/wordpiece.h"
#include "tokenizer/normalizer/bert_normalizer.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/pre_tokenizer/bert_split_rules.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"
#include "tokenizer/text_pass.h"

namespace bert {

class WordPiecePass : public TextPass {
 public:
  // Returns a pass with the same results as these steps; null if there is none. Keeps a reference to the model.
  static std::unique_ptr<WordPiecePass> of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                                           const AddedTokens& added_tokens, const SubwordModel& model);

  bool checks_bytes() const override { return true; }
  // Accepts every text.
  bool append_tokens(SequenceState& sequence, size_t begin, size_t end) const override;

 private:
  class WordSink;
  struct Call;
  WordPiecePass(const BertNormalizer& normalizer, const BertSplitRules& rules, const WordPiece& model);
  size_t encode_chunk(Call& call, size_t begin, size_t end, ChunkCache& cache) const;
  std::optional<ChunkCache::Tokens> tokens_of_chunk(std::string_view chunk, std::vector<WordPieceToken>& pieces) const;
  template <class Tokens>
  size_t encode_plain(std::string_view text, size_t begin, int32_t& word, std::vector<WordPieceToken>& pieces,
                      Tokens& tokens) const;
  size_t encode_slow(Call& call, size_t begin, size_t end) const;

  // Classes of ASCII bytes in the fast path; any other value is the normalized letter.
  static constexpr char kSlow = 0, kSpace = 1, kAlone = 2;

  BertNormalizer normalizer_;
  BertSplitRules rules_;
  const WordPiece* model_;
  std::array<char, 256> ascii_{};
  std::array<int32_t, 128> alone_ids_{};  // token id of each punctuation character
  uint32_t cache_owner_ = 0;              // 0: chunks are not in the cache
};

}  // namespace bert
