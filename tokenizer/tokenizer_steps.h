// Applies the normalizer, the pre-tokenizer and the model in turn to pieces of the text. A piece ends where the tokens
// before it cannot depend on what follows. Works for every model and text. Immutable; any number of threads may use
// one.
#pragma once

#include <cstddef>
#include <string_view>

#include "tokenizer/added_tokens.h"
#include "tokenizer/model/subword_model.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"
#include "tokenizer/text_pass.h"

namespace bert {

class TokenizerSteps : public TextPass {
 public:
  // Keeps references to the added tokens and the model. piece: bytes of a text that the steps process at once, if the
  // text may be cut there; results do not depend on it.
  TokenizerSteps(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer, const AddedTokens& added_tokens,
                 const SubwordModel& model, size_t piece);

  // Accepts every text of at most 2^32 - 1 bytes.
  bool append_tokens(SequenceState& sequence, size_t begin, size_t end) const override;

 private:
  class SubwordReader;
  void append_normalized(SequenceState& sequence, NormalizedText normalized) const;
  bool may_cut(std::string_view normalized, size_t at) const;

  Normalizer normalizer_;
  PreTokenizer pre_tokenizer_;
  const AddedTokens& added_tokens_;
  const SubwordModel& model_;
  size_t piece_;
};

}  // namespace bert
