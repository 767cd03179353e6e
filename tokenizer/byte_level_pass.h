// Byte-level BPE in one pass over the original text, where the normalizer leaves the text as it is: words are cut,
// looked up in the thread's cache and merged as bytes, so that no byte has a source of its own. Immutable; any number
// of threads may use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tokenizer/model/bpe.h"
#include "tokenizer/model/chunk_cache.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/pattern/byte_level_words.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"
#include "tokenizer/token_list.h"
#include "tokenizer/unicode/normal_form.h"

namespace bert {

class ByteLevelPass {
 public:
  // The pass that gives what these steps give; nullopt if none does. Keeps a reference to the model.
  static std::optional<ByteLevelPass> of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                                         const SubwordModel& model);

  // Whether the normalizer surely leaves a valid UTF-8 text as it is.
  bool takes(std::string_view text) const { return !composes_ || is_surely_nfc(text); }

  // Appends the tokens of bytes [range.begin, range.end) of a text that it takes, valid UTF-8; returns the number of
  // words, which are counted from first_word. Throws Error(kInvalidText) as Bpe::tokenize.
  int32_t append_tokens(std::string_view text, TextRange range, int32_t first_word, TokenList& tokens) const;

 private:
  class Run;
  ByteLevelPass(const Bpe& model, WordEnd word_end) : model_(&model), word_end_(word_end) {}

  const Bpe* model_;
  WordEnd word_end_;
  bool adds_space_ = false;  // before a text that does not begin with one
  bool composes_ = false;    // the normalizer is NFC
  uint32_t cache_owner_ = ChunkCache::new_owner();
};

}  // namespace bert
