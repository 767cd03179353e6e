#include "tasks/labels/entity_choice.h"

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

// Follows the rules as the reference states them: each span is compared with all spans that were already chosen.
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

using SpanList = std::vector<std::tuple<size_t, size_t, size_t>>;  // first, last, label

SpanList chosen_of(std::vector<ScoredSpan> spans, OverlapPolicy policy) {
  SpanList list;
  for (const ScoredSpan& span : choose_for_each_label(std::move(spans), 20, policy)) {
    list.emplace_back(span.first, span.last, span.label);
  }
  return list;
}

// One long span contains two short spans and has a higher score than each of them; another span crosses it.
const std::vector<ScoredSpan> kMixed = {{2, 3, 0, 0.6}, {2, 6, 0, 0.9}, {5, 6, 0, 0.7}, {6, 8, 0, 0.5}, {2, 3, 1, 0.3}};

TEST(ChooseForEachLabel, FollowsThePolicy) {
  EXPECT_EQ(chosen_of(kMixed, OverlapPolicy::kBestFirst), (SpanList{{2, 6, 0}, {2, 3, 1}}));
  EXPECT_EQ(chosen_of(kMixed, OverlapPolicy::kBestSum), (SpanList{{2, 3, 0}, {2, 3, 1}, {5, 6, 0}}));
  EXPECT_EQ(chosen_of(kMixed, OverlapPolicy::kNested), (SpanList{{2, 6, 0}, {2, 3, 0}, {2, 3, 1}, {5, 6, 0}}));
  EXPECT_EQ(chosen_of(kMixed, OverlapPolicy::kLongest), (SpanList{{2, 6, 0}, {2, 3, 1}, {6, 8, 0}}));
  EXPECT_EQ(chosen_of({}, OverlapPolicy::kBestSum), SpanList());
}

// Of choices with equal sums, the reference takes the one with more spans, then the one whose best spans rank first.
TEST(ChooseForEachLabel, DecidesEqualSums) {
  EXPECT_EQ(chosen_of({{0, 5, 0, 0.75}, {0, 2, 0, 0.5}, {3, 5, 0, 0.25}}, OverlapPolicy::kBestSum),
            (SpanList{{0, 2, 0}, {3, 5, 0}}));
  EXPECT_EQ(chosen_of({{0, 2, 0, 0.25}, {3, 5, 0, 0.5}, {0, 3, 0, 0.5}, {4, 5, 0, 0.25}}, OverlapPolicy::kBestSum),
            (SpanList{{0, 3, 0}, {4, 5, 0}}));
}

// Compares the choice with every subset of random spans.
TEST(ChooseForEachLabel, FindsTheLargestSum) {
  test::Random random(4);
  for (int round = 0; round < 50; ++round) {
    std::vector<ScoredSpan> spans;
    for (size_t i = 0; i < 10; ++i) {
      const size_t first = random.below(12), last = first + random.below(6);
      const auto is_same = [&](const ScoredSpan& span) { return span.first == first && span.last == last; };
      if (std::any_of(spans.begin(), spans.end(), is_same)) continue;
      spans.push_back({first, last, 0, 0.1 + static_cast<double>(random.below(1000)) / 1100});
    }
    double best = 0;
    for (size_t subset = 0; subset < size_t{1} << spans.size(); ++subset) {
      double sum = 0;
      std::vector<bool> taken(20);
      for (size_t i = 0; i < spans.size(); ++i) {
        if ((subset >> i & 1) == 0) continue;
        for (size_t word = spans[i].first; word <= spans[i].last; ++word) {
          if (taken[word]) sum = -100;
          taken[word] = true;
        }
        sum += spans[i].score;
      }
      best = std::max(best, sum);
    }
    double sum = 0;
    size_t end = 0;
    for (const ScoredSpan& span : choose_for_each_label(spans, 20, OverlapPolicy::kBestSum)) {
      EXPECT_GE(span.first, end);
      end = span.last + 1;
      sum += span.score;
    }
    EXPECT_NEAR(sum, best, 1e-12);
  }
}

}  // namespace

}  // namespace bert
