#include "tokenizer/tokenizer_steps.h"

#include <algorithm>
#include <utility>

#include "engine/base/utf8.h"
#include "tokenizer/normalizer/normalizer_stream.h"

namespace bert {

TokenizerSteps::TokenizerSteps(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                               const AddedTokens& added_tokens, const SubwordModel& model, size_t piece)
    : normalizer_(normalizer),
      pre_tokenizer_(pre_tokenizer),
      added_tokens_(added_tokens),
      model_(model),
      piece_(std::max<size_t>(piece, 4)) {}

bool TokenizerSteps::append_tokens(SequenceState& sequence, size_t begin, size_t end) const {
  NormalizerStream normalizer(normalizer_, begin);
  WaitingText waiting(begin);  // normalized text that is not tokenized yet
  for (size_t from = begin, to; from < end; from = to) {
    to = end - from <= piece_ ? end : character_start(sequence.text, from + piece_);
    const bool last = to == end;
    waiting.append(normalizer.push(original_text(sequence.text.substr(from, to - from), from), last));
    NormalizedText part = waiting.take(last, [&] {
      const std::string_view text = waiting.bytes();
      return text.empty() ? 0 : find_last_cut(text, text.size() - 1, [&](size_t at) { return may_cut(text, at); });
    });
    if (!part.bytes.empty()) append_normalized(sequence, std::move(part));
  }
  return true;
}

bool TokenizerSteps::may_cut(std::string_view normalized, size_t at) const {
  const char32_t before = decode_utf8(normalized, character_start(normalized, at - 1)).code_point;
  const char32_t after = decode_utf8(normalized, at).code_point;
  return pre_tokenizer_.may_cut(before, after) && added_tokens_.may_cut(normalized, at);
}

// Reads the tokens of a part of a text, in order.
class TokenizerSteps::SubwordReader : public SubwordSink {
 public:
  SubwordReader(SequenceState& sequence, const NormalizedText& text, std::optional<int32_t> verbatim_id)
      : sequence_(sequence), text_(text), verbatim_id_(verbatim_id) {}

  void push_back(const SubwordToken& token) override {
    if (token.id == verbatim_id_) {
      sequence_.note_verbatim(std::string_view(text_.bytes).substr(token.begin, token.end - token.begin));
    }
    sequence_.tokens.push_back({token.id, sequence_.word + token.word, text_.source({token.begin, token.end})});
  }

 private:
  SequenceState& sequence_;
  const NormalizedText& text_;
  std::optional<int32_t> verbatim_id_;
};

void TokenizerSteps::append_normalized(SequenceState& sequence, NormalizedText normalized) const {
  const size_t size = normalized.bytes.size();
  const auto words_between = [&](size_t from, size_t to) {
    if (from >= to) return;
    SplitText split;
    if (from == 0 && to == size) {
      split.text = std::move(normalized);
    } else {
      split.text.append(normalized, {from, to});
    }
    split.words.push_back({0, split.text.bytes.size()});
    pre_tokenizer_.apply(split);
    SubwordReader reader(sequence, split.text, model_.verbatim_id());
    sequence.word += model_.tokenize(split.text.bytes, split.words, reader);
  };
  size_t from = 0;
  added_tokens_.find_normalized(normalized.bytes, sequence.split_special, [&](const AddedTokenMatch& match) {
    words_between(from, match.begin);
    sequence.append_added_token(match.id,
                                std::string_view(normalized.bytes).substr(match.begin, match.end - match.begin),
                                normalized.source({match.begin, match.end}));
    from = match.end;
  });
  words_between(from, size);
}

}  // namespace bert
