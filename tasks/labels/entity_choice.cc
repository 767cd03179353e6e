#include "tasks/labels/entity_choice.h"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace bert {
namespace {

// The spans chosen so far. A question about another span takes a step for each of its words.
class ChosenSpans {
 public:
  explicit ChosenSpans(size_t words) : taken_(words), furthest_end_(words), earliest_begin_(words) {
    for (size_t word = 0; word < words; ++word) furthest_end_[word] = earliest_begin_[word] = word;
  }

  bool has(const ScoredSpan& span) const { return spans_.contains({span.first, span.last}); }

  bool overlaps(const ScoredSpan& span) const {
    const auto begin = taken_.begin() + static_cast<std::ptrdiff_t>(span.first);
    return std::find(begin, begin + static_cast<std::ptrdiff_t>(span.last - span.first + 1), true) !=
           begin + static_cast<std::ptrdiff_t>(span.last - span.first + 1);
  }

  // Returns whether a chosen span begins in the span and ends after it, or begins before it and ends in it.
  bool crosses(const ScoredSpan& span) const {
    for (size_t word = span.first + 1; word <= span.last; ++word) {
      if (furthest_end_[word] > span.last) return true;
    }
    for (size_t word = span.first; word < span.last; ++word) {
      if (earliest_begin_[word] < span.first) return true;
    }
    return false;
  }

  void add(const ScoredSpan& span) {
    spans_.insert({span.first, span.last});
    furthest_end_[span.first] = std::max(furthest_end_[span.first], span.last);
    earliest_begin_[span.last] = std::min(earliest_begin_[span.last], span.first);
    std::fill(taken_.begin() + static_cast<std::ptrdiff_t>(span.first),
              taken_.begin() + static_cast<std::ptrdiff_t>(span.last) + 1, true);
  }

 private:
  std::set<std::pair<size_t, size_t>> spans_;
  std::vector<bool> taken_;
  std::vector<size_t> furthest_end_;    // of the chosen spans that begin at a word
  std::vector<size_t> earliest_begin_;  // of the chosen spans that end at a word
};

bool ranks_before(const ScoredSpan& a, const ScoredSpan& b) {
  return std::tie(b.score, a.first, a.last) < std::tie(a.score, b.first, b.last);
}

// The best choice among the first spans, where spans are sorted by their ends. It names the choice's last span and the
// choice that remains without that span.
struct BestChoice {
  double score = 0;
  size_t count = 0;
  size_t last = 0;      // index of the choice's last span; unused if count is 0
  size_t previous = 0;  // index of the choice without `last`
};

std::vector<ScoredSpan> spans_of_choice(const std::vector<BestChoice>& choices, BestChoice choice,
                                        std::span<const ScoredSpan> spans) {
  std::vector<ScoredSpan> chosen;
  for (; choice.count > 0; choice = choices[choice.previous]) chosen.push_back(spans[choice.last]);
  std::sort(chosen.begin(), chosen.end(), ranks_before);
  return chosen;
}

// Weighted interval scheduling. Of equal sums, prefers the choice with more spans, then the one whose spans rank first.
std::vector<ScoredSpan> best_sum(std::vector<ScoredSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const ScoredSpan& a, const ScoredSpan& b) {
    return std::tie(a.last, a.first, b.score) < std::tie(b.last, b.first, a.score);
  });
  std::vector<BestChoice> choices = {{}};  // for the first i spans
  for (size_t i = 0; i < spans.size(); ++i) {
    const auto begin = spans.begin(), end = begin + static_cast<std::ptrdiff_t>(i);
    const auto before = static_cast<size_t>(
        std::lower_bound(begin, end, spans[i].first, [](const ScoredSpan& a, size_t word) { return a.last < word; }) -
        begin);
    const BestChoice with{choices[before].score + spans[i].score, choices[before].count + 1, i, before};
    const BestChoice without = choices[i];
    const auto is_better = [&] {
      if (with.score != without.score) return with.score > without.score;
      if (with.count != without.count) return with.count > without.count;
      const std::vector<ScoredSpan> a = spans_of_choice(choices, with, spans),
                                    b = spans_of_choice(choices, without, spans);
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), ranks_before);
    };
    choices.push_back(is_better() ? with : without);
  }
  return spans_of_choice(choices, choices.back(), spans);
}

std::vector<ScoredSpan> longest(std::vector<ScoredSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const ScoredSpan& a, const ScoredSpan& b) {
    return std::tie(a.first, b.last) < std::tie(b.first, a.last);
  });
  std::vector<ScoredSpan> kept;
  size_t end = 0;  // one past the last word of all spans so far
  for (const ScoredSpan& span : spans) {
    if (span.last < end) continue;
    kept.push_back(span);
    end = span.last + 1;
  }
  return kept;
}

std::vector<ScoredSpan> choose_of_one_label(std::vector<ScoredSpan> spans, size_t words, OverlapPolicy policy) {
  if (policy == OverlapPolicy::kBestSum) return best_sum(std::move(spans));
  if (policy == OverlapPolicy::kLongest) return longest(std::move(spans));
  std::sort(spans.begin(), spans.end(), ranks_before);
  return choose_entities(std::move(spans), words, policy == OverlapPolicy::kNested, false);
}

}  // namespace

std::vector<ScoredSpan> choose_entities(std::vector<ScoredSpan> spans, size_t words, bool nested, bool multi_label) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const ScoredSpan& a, const ScoredSpan& b) { return a.score > b.score; });
  ChosenSpans chosen(words);
  std::vector<ScoredSpan> entities;
  for (const ScoredSpan& span : spans) {
    const bool is_there = chosen.has(span);
    if (is_there ? !multi_label : nested ? chosen.crosses(span) : chosen.overlaps(span)) continue;
    entities.push_back(span);
    if (!is_there) chosen.add(span);
  }
  std::stable_sort(entities.begin(), entities.end(),
                   [](const ScoredSpan& a, const ScoredSpan& b) { return a.first < b.first; });
  return entities;
}

std::vector<ScoredSpan> choose_for_each_label(std::vector<ScoredSpan> spans, size_t words, OverlapPolicy policy) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const ScoredSpan& a, const ScoredSpan& b) { return a.label < b.label; });
  std::vector<ScoredSpan> chosen;
  for (auto begin = spans.begin(); begin != spans.end();) {
    const auto end =
        std::find_if(begin, spans.end(), [&](const ScoredSpan& span) { return span.label != begin->label; });
    const std::vector<ScoredSpan> of_label = choose_of_one_label({begin, end}, words, policy);
    chosen.insert(chosen.end(), of_label.begin(), of_label.end());
    begin = end;
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const ScoredSpan& a, const ScoredSpan& b) {
    return std::tie(a.first, b.score) < std::tie(b.first, a.score);
  });
  return chosen;
}

}  // namespace bert
