#include "tasks/labels/gliner/entity_choice.h"

#include <algorithm>
#include <set>
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

}  // namespace bert
