#include "tasks/labels/gliner/entity_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/support/random.h"

namespace bert {
namespace {

using Found = std::vector<std::tuple<size_t, size_t, size_t>>;

Found found(const std::vector<ScoredSpan>& spans) {
  Found result;
  for (const ScoredSpan& span : spans) result.emplace_back(span.first, span.last, span.label);
  return result;
}

TEST(ChooseEntities, PrefersTheBestAndThenTheFirstOfTwoThatOverlap) {
  const std::vector<ScoredSpan> spans = {{0, 2, 0, 0.6}, {2, 3, 1, 0.8}, {4, 4, 0, 0.7}, {4, 5, 1, 0.7}};
  EXPECT_EQ(found(choose_entities(spans, 6, false, false)), (Found{{2, 3, 1}, {4, 4, 0}}));
}

TEST(ChooseEntities, LetsNestedSpansLieInOthersButNotCrossThem) {
  const std::vector<ScoredSpan> spans = {
      {0, 4, 0, 0.9}, {1, 2, 1, 0.8}, {2, 3, 0, 0.7}, {4, 5, 1, 0.6}, {0, 4, 1, 0.5}};
  EXPECT_EQ(found(choose_entities(spans, 6, true, false)), (Found{{0, 4, 0}, {1, 2, 1}}));
  EXPECT_EQ(found(choose_entities(spans, 6, true, true)), (Found{{0, 4, 0}, {0, 4, 1}, {1, 2, 1}}));
}

// The rules as the reference states them: each span against all that were chosen.
Found plain_choice(std::vector<ScoredSpan> spans, bool nested, bool multi_label) {
  std::stable_sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<ScoredSpan> chosen;
  for (const ScoredSpan& a : spans) {
    const bool refused = std::any_of(chosen.begin(), chosen.end(), [&](const ScoredSpan& b) {
      if (a.first == b.first && a.last == b.last) return !multi_label;
      const bool apart = a.first > b.last || b.first > a.last;
      const bool inside = (a.first <= b.first && a.last >= b.last) || (b.first <= a.first && b.last >= a.last);
      return !(apart || (nested && inside));
    });
    if (!refused) chosen.push_back(a);
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return found(chosen);
}

TEST(ChooseEntities, DecidesAsComparingEachSpanWithAllDoes) {
  test::Random random(77);
  for (int round = 0; round < 400; ++round) {
    const size_t words = 1 + random.below(12);
    std::vector<ScoredSpan> spans;
    for (size_t i = random.below(40); i > 0; --i) {
      const size_t first = random.below(words), last = first + random.below(words - first);
      spans.push_back({first, last, random.below(3), static_cast<double>(random.below(20)) / 20});
    }
    for (const bool nested : {false, true}) {
      for (const bool multi_label : {false, true}) {
        ASSERT_EQ(found(choose_entities(spans, words, nested, multi_label)), plain_choice(spans, nested, multi_label));
      }
    }
  }
}

}  // namespace
}  // namespace bert
