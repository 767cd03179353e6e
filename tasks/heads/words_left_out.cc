#include "tasks/heads/words_left_out.h"

#include <string>

#include "tasks/heads/check_logits.h"

namespace bert {
namespace {

// Tokens of one pass; each word of a text makes a sequence about as long as the text.
constexpr size_t kBatchTokens = 8192;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Returns the range without the spaces at its ends.
Offset without_spaces(std::string_view text, Offset range) {
  while (range.begin < range.end && is_space(text[range.begin])) ++range.begin;
  while (range.begin < range.end && is_space(text[range.end - 1])) --range.end;
  return range;
}

}  // namespace

std::vector<TextWord> text_words(const Tokenizer& tokenizer, const TextResult& text, bool offsets_are_of_text) {
  const Encoding& encoding = text.tokens.encoding;
  check_encoding(encoding);
  std::vector<TextWord> words;
  const auto source = [&](size_t token) -> std::string_view {
    return encoding.sequence_ids[token] == 1 ? text.input.pair : text.input.text;
  };
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.special_tokens_mask[i] != 0 || encoding.word_ids[i] == kNoWord) continue;
    if (offsets_are_of_text) check_offset(encoding, i, source(i).size());
    const Offset offset = encoding.offsets[i];
    bool begins = words.empty() || words.back().first + words.back().tokens != i ||
                  encoding.word_ids[i] != encoding.word_ids[i - 1] ||
                  encoding.sequence_ids[i] != encoding.sequence_ids[i - 1] ||
                  offset.begin > encoding.offsets[i - 1].end;
    if (!begins && offsets_are_of_text && offset.begin < offset.end) begins = is_space(source(i)[offset.begin]);
    if (begins) words.push_back({.first = i, .tokens = 0, .sequence = encoding.sequence_ids[i]});
    ++words.back().tokens;
  }
  for (TextWord& word : words) {
    if (offsets_are_of_text) {
      const std::string_view whole = source(word.first);
      const Offset range = without_spaces(
          whole, {encoding.offsets[word.first].begin, encoding.offsets[word.first + word.tokens - 1].end});
      word.text = whole.substr(range.begin, range.end - range.begin);
      word.place = range;
    } else {
      word.text = tokenizer.decode(std::span(encoding.ids).subspan(word.first, word.tokens), false);
    }
  }
  return words;
}

std::vector<ShortenedText> shortened_texts(const TokenSequence& whole, std::span<const TextWord> words) {
  std::vector<ShortenedText> texts;
  for (const TextWord& word : words) {
    if (word.tokens == whole.ids.size()) {
      throw Error(ErrorCode::kInvalidArgument,
                  "a text of one word and no special token, expected tokens that are left without the word");
    }
    const auto rest = [&](std::span<const int32_t> values) {
      std::vector<int32_t> kept(values.begin(), values.end());
      if (kept.empty()) return kept;
      const auto begin = kept.begin() + static_cast<std::ptrdiff_t>(word.first);
      kept.erase(begin, begin + static_cast<std::ptrdiff_t>(word.tokens));
      return kept;
    };
    texts.push_back({rest(whole.ids), rest(whole.type_ids)});
  }
  return texts;
}

void for_each_batch(std::span<const ShortenedText> texts,
                    const std::function<void(size_t first, std::span<const TokenSequence> batch)>& compute) {
  std::vector<TokenSequence> batch;
  size_t tokens = 0, first = 0;
  const auto run = [&](size_t next) {
    if (!batch.empty()) compute(first, batch);
    batch.clear();
    tokens = 0;
    first = next;
  };
  for (size_t i = 0; i < texts.size(); ++i) {
    if (tokens + texts[i].ids.size() > kBatchTokens) run(i);
    batch.push_back(texts[i].sequence());
    tokens += texts[i].ids.size();
  }
  run(texts.size());
}

void check_whole_text(const TextResult& text) {
  if (text.error) throw *text.error;
  const auto refuse = [](const char* what) {
    throw Error(ErrorCode::kInvalidArgument, std::string(what) + " to explain, expected a whole text");
  };
  if (!text.tokens.from_text) refuse("ids");
  if (text.input.window && !(text.input.window == 0 && text.input.is_last)) refuse("a window of a text");
}

}  // namespace bert
