// Tests shares of one budget: which shares fit, the reserve for small bodies, and shares that threads return.
#include "program/server/base/memory_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace bert::test {
namespace {

using server::MemoryBudget;
using server::MemoryShare;

TEST(MemoryBudget, GivesWhatIsLeftAndTakesItBack) {
  MemoryBudget budget(800'000);
  MemoryShare first(budget);
  EXPECT_TRUE(first.grow_to(400'000));
  {
    MemoryShare second(budget);
    EXPECT_FALSE(second.grow_to(300'001));  // an eighth is reserved for small bodies
    EXPECT_TRUE(second.grow_to(300'000));
    EXPECT_TRUE(second.grow_to(100'000));  // a share does not shrink
    EXPECT_EQ(budget.used(), 700'000u);
    EXPECT_FALSE(first.grow_to(400'001));
  }
  EXPECT_EQ(budget.used(), 400'000u);
  first.release();
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(first.bytes(), 0u);
}

TEST(MemoryBudget, KeepsAnEighthForSmallBodies) {
  MemoryBudget budget(8 * MemoryBudget::kSmall);
  MemoryShare large(budget), small(budget), further(budget);
  EXPECT_TRUE(large.grow_to(7 * MemoryBudget::kSmall));
  EXPECT_TRUE(small.grow_to(MemoryBudget::kSmall));
  EXPECT_FALSE(further.grow_to(1));
}

TEST(MemoryBudget, HoldsTheBodyThatItIsMadeFor) {
  for (const size_t body : {size_t{1}, size_t{6}, size_t{7}, size_t{2'000'000}, size_t{123'456'789}}) {
    MemoryBudget budget(MemoryBudget::budget_for(body));
    MemoryShare share(budget);
    EXPECT_TRUE(share.grow_to(body)) << body;
    EXPECT_GE(budget.largest_share(), body);
  }
  MemoryBudget budget(1'000'000);
  MemoryShare share(budget);
  EXPECT_FALSE(share.grow_to(~size_t{0}));
}

TEST(MemoryBudget, IsNeverExceededByThreads) {
  constexpr size_t kBytes = 100'000;
  MemoryBudget budget(4 * kBytes);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 2000; ++j) {
        MemoryShare share(budget);
        share.grow_to(kBytes);
        EXPECT_LE(budget.used(), budget.bytes());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace bert::test
