#include "tokenizer/sequence_tokenizer.h"

#include "tokenizer/byte_level_pass.h"
#include "tokenizer/spaced_word_pass.h"
#include "tokenizer/wordpiece_pass.h"

namespace bert {
namespace {

// Bytes per token of English text, spaces included, rounded down, so that a list of tokens seldom has to be
// reallocated.
constexpr size_t kBytesPerToken = 3;

}  // namespace

SequenceTokenizer::SequenceTokenizer(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                                     const AddedTokens& added_tokens, const SubwordModel& model, size_t piece)
    : added_tokens_(added_tokens),
      steps_(std::make_shared<TokenizerSteps>(normalizer, pre_tokenizer, added_tokens, model, piece)) {
  fast_ = WordPiecePass::of(normalizer, pre_tokenizer, added_tokens, model);
  if (!fast_) fast_ = ByteLevelPass::of(normalizer, pre_tokenizer, added_tokens, model);
  if (!fast_) fast_ = SpacedWordPass::of(normalizer, pre_tokenizer, added_tokens, model, steps_);
}

void SequenceTokenizer::append_tokens(std::string_view text, std::string_view what, bool split_special,
                                      TokenList& tokens, std::vector<VerbatimToken>* verbatim) const {
  SequenceState sequence{text, what, split_special, tokens, verbatim};
  tokens.reserve(text.size() / kBytesPerToken);
  size_t begin = 0;
  added_tokens_.find_raw(text, split_special, [&](const AddedTokenMatch& match) {
    append_between(sequence, begin, match.begin);
    sequence.append_added_token(match.id, text.substr(match.begin, match.end - match.begin), {match.begin, match.end});
    begin = match.end;
  });
  append_between(sequence, begin, text.size());
}

void SequenceTokenizer::append_between(SequenceState& sequence, size_t begin, size_t end) const {
  if (begin >= end) return;
  if (!fast_ || !fast_->checks_bytes()) sequence.check_bytes(begin, end);
  if (fast_ && fast_->append_tokens(sequence, begin, end)) return;
  steps_->append_tokens(sequence, begin, end);
}

}  // namespace bert
