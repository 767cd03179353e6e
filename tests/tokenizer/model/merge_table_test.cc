#include "tokenizer/model/merge_table.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/support/random.h"

namespace bert {
namespace {

TEST(MergeTable, FindsTheLastMergeOfEachPairAndNoOther) {
  test::Random random(1);
  for (const size_t count : {0, 1, 2, 3, 100, 20'000}) {
    MergeTable table;
    table.reset(count);
    std::map<std::pair<int32_t, int32_t>, std::pair<int32_t, int32_t>> expected;
    const auto token = [&] { return static_cast<int32_t>(random.below(300)); };
    for (size_t i = 0; i < count; ++i) {
      const auto pair = std::pair(token(), token());
      expected[pair] = {static_cast<int32_t>(i), token()};
      table.insert(pair.first, pair.second, expected[pair].first, expected[pair].second);
    }
    size_t found = 0;
    for (int32_t left = 0; left < 300; ++left) {
      for (int32_t right = 0; right < 300; ++right) {
        const MergeTable::Merge* merge = table.find(left, right);
        const auto wanted = expected.find({left, right});
        ASSERT_EQ(merge != nullptr, wanted != expected.end()) << left << " with " << right;
        if (merge == nullptr) continue;
        ASSERT_EQ(std::pair(merge->rank, merge->id), wanted->second);
        ++found;
      }
    }
    EXPECT_EQ(found, expected.size());
  }
}

}  // namespace
}  // namespace bert
