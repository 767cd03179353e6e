#include "tasks/labels/label_windows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bert/error.h"
#include "tokenizer/post_processor/word_windows.h"

namespace bert {
namespace {

constexpr size_t kWordsAtOnce = 1024;  // words that are counted at once, with the labels before them

std::string_view part_of(std::string_view text, Offset place) {
  return text.substr(place.begin, place.end - place.begin);
}

// How many tokens each word has, and how many the labels and the special tokens beside a text have.
struct WordCounts {
  std::vector<size_t> tokens;  // for each word
  size_t beside = 0;
};

WordCounts count_words(const LabelReader& reader, const Tokenizer& tokenizer, std::string_view text,
                       std::span<const Offset> words, const PreparedLabels& labels, TokenizeOptions options) {
  options.max_length = 0;
  WordCounts counts{std::vector<size_t>(words.size())};
  const size_t most = std::min(kWordsAtOnce, reader.max_words());
  for (size_t first = 0; first < words.size(); first += most) {
    const std::span<const Offset> some = words.subspan(first, std::min(most, words.size() - first));
    const Offset place{some.front().begin, some.back().end};
    const Encoding encoding = reader.tokenize(tokenizer, part_of(text, place), labels, options);
    size_t of_words = 0;
    for (size_t i = 0; i < encoding.size(); ++i) {
      const size_t begin = place.begin + encoding.offsets[i].begin;
      if (encoding.sequence_ids[i] != 0 || begin >= place.end) continue;
      const auto after = std::upper_bound(some.begin(), some.end(), begin,
                                          [](size_t at, const Offset& word) { return at < word.begin; });
      ++counts.tokens[first + static_cast<size_t>(std::max(after, some.begin() + 1) - some.begin()) - 1];
      ++of_words;
    }
    counts.beside = std::max(counts.beside, encoding.size() - of_words);
  }
  return counts;
}

}  // namespace

std::vector<LabelWindow> label_windows(const LabelReader& reader, const Tokenizer& tokenizer, std::string_view text,
                                       const PreparedLabels& labels, const TokenizeOptions& options, bool fits_stride) {
  TokenizeOptions of_window = options;
  of_window.truncation = Truncation::kLongestFirst;
  const auto read = [&](Offset place) {
    return LabelWindow{place, reader.tokenize(tokenizer, part_of(text, place), labels, of_window)};
  };
  std::vector<LabelWindow> windows;
  windows.push_back(read({0, text.size()}));
  const std::vector<Offset> words = reader.words(text);
  if (windows.front().encoding.truncated_tokens == 0 || words.size() < 2) return windows;
  windows.clear();

  const WordCounts counts = count_words(reader, tokenizer, text, words, labels, of_window);
  WindowRoom room{.tokens = SIZE_MAX, .words = reader.max_words(), .stride = options.stride};
  if (options.max_length > 0) room.tokens = options.max_length - std::min(options.max_length, counts.beside);
  if (fits_stride) room.stride = std::min(room.stride, room.tokens / 2);
  if (room.stride > room.tokens / 2) {
    throw Error(ErrorCode::kInvalidArgument,
                "stride " + std::to_string(room.stride) + ": windows of " + std::to_string(options.max_length) +
                    " tokens hold " + std::to_string(room.tokens) + " of the text, expected at most half of that");
  }
  for (TokenRange window{0, 0};; window.begin = next_window(counts.tokens, window, room)) {
    window.end = window_end(counts.tokens, window.begin, room);
    const auto place = [&] {
      return Offset{window.begin == 0 ? 0 : words[window.begin].begin,
                    window.end == words.size() ? text.size() : words[window.end - 1].end};
    };
    LabelWindow next = read(place());
    // In another window a word may have more tokens than where it was counted.
    while (next.encoding.truncated_tokens > 0 && window.end > window.begin + 1) {
      --window.end;
      next = read(place());
    }
    windows.push_back(std::move(next));
    if (options.max_windows > 0 && windows.size() > options.max_windows) {
      throw Error(ErrorCode::kInvalidArgument,
                  "more than " + std::to_string(options.max_windows) + " windows of the text, expected a shorter one");
    }
    if (window.end == words.size()) return windows;
  }
}

}  // namespace bert
