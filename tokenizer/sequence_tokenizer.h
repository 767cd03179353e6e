// Converts one text to tokens: finds added tokens, and tokenizes the text between them by the fastest pass with the
// same results as the tokenizer's steps. Immutable; any number of threads may use one.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "tokenizer/added_tokens.h"
#include "tokenizer/model/subword_model.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"
#include "tokenizer/text_pass.h"
#include "tokenizer/token_list.h"
#include "tokenizer/tokenizer_steps.h"

namespace bert {

class SequenceTokenizer {
 public:
  static constexpr size_t kPiece = 65536;

  // Keeps references to the added tokens and the model. piece: as in TokenizerSteps.
  SequenceTokenizer(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer, const AddedTokens& added_tokens,
                    const SubwordModel& model, size_t piece = kPiece);

  // Appends the tokens of text, and the verbatim tokens to `verbatim` if it is not null. Throws Error(kInvalidText),
  // which names `what` (text, pair) and the byte position, for invalid UTF-8.
  void append_tokens(std::string_view text, std::string_view what, bool split_special, TokenList& tokens,
                     std::vector<VerbatimToken>* verbatim = nullptr) const;

 private:
  void append_between(SequenceState& sequence, size_t begin, size_t end) const;

  const AddedTokens& added_tokens_;
  std::shared_ptr<const TokenizerSteps> steps_;
  std::unique_ptr<const TextPass> fast_;  // null: these steps have no faster pass
};

}  // namespace bert
