// Byte-level BPE in one pass over the original text, for normalizers that do not change the text. Words are found,
// looked up in the thread's cache and merged as bytes, so that no byte needs a source. Immutable; any number of threads
// may use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tokenizer/added_tokens.h"
#include "tokenizer/model/bpe.h"
#include "tokenizer/model/chunk_cache.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/pattern/byte_level_words.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"
#include "tokenizer/text_pass.h"

namespace bert {

class ByteLevelPass : public TextPass {
 public:
  // Returns a pass with the same results as these steps; null if there is none. Keeps references to the added tokens
  // and the model.
  static std::unique_ptr<ByteLevelPass> of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                                           const AddedTokens& added_tokens, const SubwordModel& model);

  // Accepts a text that the normalizer certainly does not change. Throws Error(kInvalidText) as Bpe::tokenize does.
  bool append_tokens(SequenceState& sequence, size_t begin, size_t end) const override;

 private:
  class Call;
  ByteLevelPass(const AddedTokens& added_tokens, const Bpe& model, WordEnd word_end)
      : added_tokens_(added_tokens), model_(&model), word_end_(word_end) {}
  void append_words(SequenceState& sequence, size_t begin, size_t end) const;

  const AddedTokens& added_tokens_;
  const Bpe* model_;
  WordEnd word_end_;
  bool adds_space_ = false;  // adds a space before a text that does not begin with one
  bool composes_ = false;    // the normalizer is NFC
  uint32_t cache_owner_ = ChunkCache::new_owner();
};

}  // namespace bert
