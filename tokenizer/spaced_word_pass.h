// Tokenizes words between white space that get a mark before them, as SentencePiece's do, in one pass if they are
// plain: printable ASCII that the normalizer does not change. The thread's cache keeps the tokens of short words.
// Immutable; any number of threads may use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tokenizer/added_tokens.h"
#include "tokenizer/model/chunk_cache.h"
#include "tokenizer/model/subword_model.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"
#include "tokenizer/text_pass.h"
#include "tokenizer/token_list.h"

namespace bert {

class SpacedWordPass : public TextPass {
 public:
  // Returns a pass with the same results as these steps; null if there is none. Keeps references to the added tokens
  // and the model. steps: tokenizes the parts that are not plain.
  static std::unique_ptr<SpacedWordPass> of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                                            const AddedTokens& added_tokens, const SubwordModel& model,
                                            std::shared_ptr<const TextPass> steps);

  // Accepts a text whose beginning does not shift the sources of everything after it and that has no added tokens of
  // the normalized text, unless verbatim tokens are requested.
  bool append_tokens(SequenceState& sequence, size_t begin, size_t end) const override;

 private:
  SpacedWordPass(const AddedTokens& added_tokens, const SubwordModel& model, std::shared_ptr<const TextPass> steps,
                 std::string mark)
      : added_tokens_(added_tokens), model_(&model), steps_(std::move(steps)), mark_(std::move(mark)) {}
  bool takes(std::string_view text, bool split_special) const;
  size_t append_plain_words(std::string_view text, size_t begin, int32_t& word, TokenList& tokens) const;
  void append_word(std::string_view text, size_t begin, size_t end, int32_t word, TokenList& tokens,
                   ChunkCache::Collector& collector) const;

  const AddedTokens& added_tokens_;
  const SubwordModel* model_;
  std::shared_ptr<const TextPass> steps_;
  std::string mark_;
  std::shared_ptr<const Charsmap> charsmap_;  // the normalizer; null: there is none
  uint32_t cache_owner_ = ChunkCache::new_owner();
};

}  // namespace bert
