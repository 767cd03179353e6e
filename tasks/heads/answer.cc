// Question answering: converts logits to spans of the context, by all rules of the reference's pipeline.
#include <algorithm>

#include "bert/offsets.h"
#include "bert/tasks.h"
#include "engine/base/utf8.h"
#include "tasks/heads/check_logits.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

constexpr uint64_t kMaxAnswers = uint64_t{1} << 40;

struct Span {
  size_t start;  // tokens, both inclusive
  size_t end;
  double score;
};

std::string lowered(std::string_view text) {
  std::string lower;
  for (size_t i = 0; i < text.size();) {
    const Utf8Char c = decode_utf8(text, i);
    append_utf8(lower, unicode::lower_case(c.code_point));
    if (c.code_point == unicode::kDottedCapitalI) append_utf8(lower, unicode::kDotAbove);
    i += std::max<size_t>(c.bytes, 1);
  }
  return lower;
}

class Window {
 public:
  // Candidates are tokens of the context, and tokens with the first token's id, which means "no answer". As in the
  // reference, such a token in the question is also a candidate, but not an answer.
  Window(const TokenLogits& window, size_t context_bytes) : encoding_(*window.encoding) {
    if (encoding_.size() == 0) throw Error(ErrorCode::kInvalidArgument, "a window of no token, expected a pair's");
    check_encoding(encoding_);
    check_logits(*window.logits, encoding_.size(), 2, "tokens");
    const std::vector<float>& values = window.logits->values;
    std::vector<float> starts, ends;
    for (size_t i = 0; i < encoding_.size(); ++i) {
      if (is_of_context(i)) check_offset(encoding_, i, context_bytes);
      const bool competes = is_of_context(i) || encoding_.ids[i] == encoding_.ids[0];
      starts.push_back(competes ? values[2 * i] : kExcluded);
      ends.push_back(competes ? values[2 * i + 1] : kExcluded);
    }
    row_starts_ = softmax(starts);
    ends_ = softmax(ends);
    no_answer_ = row_starts_[0] * ends_[0];
    row_starts_[0] = ends_[0] = 0;
  }

  double no_answer() const { return no_answer_; }

  std::vector<Span> best(size_t count, size_t max_tokens) const {
    std::vector<Span> spans;
    for (size_t start = 0; start < row_starts_.size(); ++start) {
      if (!is_of_context(start)) continue;
      const size_t tokens = std::min(max_tokens, row_starts_.size() - start);
      for (size_t end = start; end < start + tokens; ++end) {
        const double score = row_starts_[start] * ends_[end];
        if (is_of_context(end) && score > 0) spans.push_back({start, end, score});
      }
    }
    const size_t kept = std::min(count, spans.size());
    std::partial_sort(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(kept), spans.end(),
                      [](const Span& a, const Span& b) { return a.score > b.score; });
    spans.resize(kept);
    return spans;
  }

  Offset offset(const Span& span, bool align_to_words) const {
    size_t start = span.start, end = span.end;
    if (align_to_words && encoding_.word_ids[start] != kNoWord && encoding_.word_ids[end] != kNoWord) {
      while (start > 0 && same_word(start - 1, start)) --start;
      while (end + 1 < encoding_.size() && same_word(end, end + 1)) ++end;
    }
    return {encoding_.offsets[start].begin, encoding_.offsets[end].end};
  }

 private:
  static constexpr float kExcluded = -10000.0f;

  bool is_of_context(size_t token) const { return encoding_.sequence_ids[token] == 1; }

  bool same_word(size_t a, size_t b) const {
    return encoding_.word_ids[a] == encoding_.word_ids[b] && encoding_.sequence_ids[a] == encoding_.sequence_ids[b];
  }

  const Encoding& encoding_;
  std::vector<double> row_starts_, ends_;
  double no_answer_ = 0;
};

}  // namespace

std::vector<Answer> find_answers(std::string_view context, std::span<const TokenLogits> windows,
                                 const AnswerOptions& options) {
  // The reference's maximum. No text has enough spans to reach it.
  const auto top_k = static_cast<size_t>(std::min<uint64_t>(options.top_k, kMaxAnswers));
  const size_t from_each = options.align_to_words ? top_k * 2 + 10 : top_k;
  std::vector<Answer> answers;
  std::vector<std::string> lower;  // each answer in lower case
  double no_answer = 1;
  const OffsetUnits points(context, OffsetUnit::kCodePoints);
  for (const TokenLogits& logits : windows) {
    const Window window(logits, context.size());
    no_answer = std::min(no_answer, window.no_answer());
    for (const Span& span : window.best(from_each, options.max_answer_tokens)) {
      const Offset offset = window.offset(span, options.align_to_words);
      const std::string text(context.substr(offset.begin, offset.end - offset.begin));
      const std::string key = lowered(text);
      const auto same = std::find(lower.begin(), lower.end(), key);
      if (same != lower.end()) {
        answers[static_cast<size_t>(same - lower.begin())].score += span.score;
        continue;
      }
      answers.push_back(
          {text, span.score, offset.begin, offset.end, points.before(offset.begin), points.before(offset.end)});
      lower.push_back(key);
    }
  }
  if (options.no_answer && !windows.empty()) answers.push_back({"", no_answer, 0, 0, 0, 0});
  std::stable_sort(answers.begin(), answers.end(), [](const Answer& a, const Answer& b) { return a.score > b.score; });
  answers.resize(std::min(answers.size(), options.top_k));
  return answers;
}

}  // namespace bert
