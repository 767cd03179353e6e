// Words between white space that get a mark before them, as SentencePiece's, in one pass where they are plain:
// printable ASCII, which the normalizer leaves as it is. The thread's cache keeps the tokens of short ones. Immutable;
// any number of threads may use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tokenizer/added_tokens.h"
#include "tokenizer/model/chunk_cache.h"
#include "tokenizer/model/subword_model.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"
#include "tokenizer/token_list.h"

namespace bert {

class SpacedWordPass {
 public:
  // The pass that gives what these steps give; nullopt if none does. Keeps a reference to the model.
  static std::optional<SpacedWordPass> of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                                          const SubwordModel& model);

  // Whether this text may be tokenized in parts: nothing that begins it shifts the sources of all that follows, and no
  // added token is in it that is sought in the normalized text.
  bool takes(std::string_view text, const AddedTokens& added_tokens, bool split_special) const;

  // Appends the tokens of a text that it takes, from text[begin] on, valid UTF-8. by_steps(from, to) appends those of a
  // part that is not plain. word: the next word's number, which is counted on.
  using BySteps = std::function<void(size_t from, size_t to)>;
  void append_tokens(std::string_view text, size_t begin, int32_t& word, TokenList& tokens,
                     const BySteps& by_steps) const;

 private:
  SpacedWordPass(const SubwordModel& model, std::string mark) : model_(&model), mark_(std::move(mark)) {}
  size_t append_plain_words(std::string_view text, size_t begin, int32_t& word, TokenList& tokens) const;
  void append_word(std::string_view text, size_t begin, size_t end, int32_t word, TokenList& tokens,
                   ChunkCache::Collector& collector) const;

  const SubwordModel* model_;
  std::string mark_;
  std::shared_ptr<const Charsmap> charsmap_;  // the normalizer; null if there is none
  uint32_t cache_owner_ = ChunkCache::new_owner();
};

}  // namespace bert
