// Shares of one budget: what fits, what is kept for small bodies, and what threads leave behind.
#include "tools/server/body_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace bert::test {
namespace {

using server::BodyBudget;
using server::BodyShare;

TEST(BodyBudget, GivesWhatIsLeftAndTakesItBack) {
  BodyBudget budget(800'000);
  BodyShare first(budget);
  EXPECT_TRUE(first.grow_to(400'000));
  {
    BodyShare second(budget);
    EXPECT_FALSE(second.grow_to(300'001));  // an eighth is for small bodies
    EXPECT_TRUE(second.grow_to(300'000));
    EXPECT_TRUE(second.grow_to(100'000));  // no less
    EXPECT_EQ(budget.used(), 700'000u);
    EXPECT_FALSE(first.grow_to(400'001));
  }
  EXPECT_EQ(budget.used(), 400'000u);
  first.release();
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(first.bytes(), 0u);
}

TEST(BodyBudget, KeepsAnEighthForSmallBodies) {
  BodyBudget budget(8 * BodyBudget::kSmallBody);
  BodyShare large(budget), small(budget), further(budget);
  EXPECT_TRUE(large.grow_to(7 * BodyBudget::kSmallBody));
  EXPECT_TRUE(small.grow_to(BodyBudget::kSmallBody));
  EXPECT_FALSE(further.grow_to(1));
}

TEST(BodyBudget, HoldsTheBodyThatItIsMadeFor) {
  for (const size_t body : {size_t{1}, size_t{6}, size_t{7}, size_t{2'000'000}, size_t{123'456'789}}) {
    BodyBudget budget(BodyBudget::budget_for(body));
    BodyShare share(budget);
    EXPECT_TRUE(share.grow_to(body)) << body;
    EXPECT_GE(budget.largest_body(), body);
  }
  BodyBudget budget(1'000'000);
  BodyShare share(budget);
  EXPECT_FALSE(share.grow_to(~size_t{0}));
}

TEST(BodyBudget, IsNeverExceededByThreads) {
  constexpr size_t kBytes = 100'000;
  BodyBudget budget(4 * kBytes);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 2000; ++j) {
        BodyShare share(budget);
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
