// One sequence of text to tokens: added tokens, and between them the fastest pass that gives what the tokenizer's steps
// give. Immutable; any number of threads may use one.
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

  // Appends the tokens of text, and to `verbatim`, if not null, those that are. Throws Error(kInvalidText): `what`
  // (text, pair) is not valid UTF-8, with the byte position.
  void append_tokens(std::string_view text, std::string_view what, bool split_special, TokenList& tokens,
                     std::vector<VerbatimToken>* verbatim = nullptr) const;

 private:
  void append_between(SequenceState& sequence, size_t begin, size_t end) const;

  const AddedTokens& added_tokens_;
  std::shared_ptr<const TokenizerSteps> steps_;
  std::unique_ptr<const TextPass> fast_;  // null: there is none for these steps
};

}  // namespace bert
