#include "engine/checkpoint/low_rank.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace bert {
namespace {

template <class Element>
std::vector<float> with_change(const std::vector<Element>& source, DType dtype) {
  std::vector<float> changed(6);
  const LowRankWork work{.source = reinterpret_cast<const std::byte*>(source.data()),
                         .dtype = dtype,
                         .rows = 2,
                         .cols = 3,
                         .left = {1, 2, -1, 0},
                         .right = {1, 0, 2, 0.5, 1, -1},
                         .scale = 0.5,
                         .changed = changed.data()};
  ThreadPool pool(1);
  run_low_rank_work(work, pool);
  return changed;
}

TEST(LowRank, MatchesAHandCalculation) {
  // left · right is [[2, 2, 0], [-1, 0, -2]].
  const std::vector<float> expected = {2, 2, 1, 0.5f, 1, 0};
  EXPECT_EQ(with_change<float>({1, 1, 1, 1, 1, 1}, DType::kF32), expected);
  EXPECT_EQ(with_change<double>({1, 1, 1, 1, 1, 1}, DType::kF64), expected);
  EXPECT_EQ(with_change<uint16_t>({0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00}, DType::kF16), expected);
  EXPECT_EQ(with_change<uint16_t>({0x3F80, 0x3F80, 0x3F80, 0x3F80, 0x3F80, 0x3F80}, DType::kBF16), expected);
}

TEST(LowRank, IsRoundedOnceOnAnyNumberOfThreads) {
  constexpr size_t kRows = 150, kCols = 37, kRank = 4;
  test::Random random(9);
  const std::vector<float> source = random.numbers(kRows * kCols, 1), left = random.numbers(kRows * kRank, 1),
                           right = random.numbers(kRank * kCols, 1);
  for (const size_t threads : {1, 3}) {
    std::vector<float> changed(kRows * kCols);
    const LowRankWork work{.source = reinterpret_cast<const std::byte*>(source.data()),
                           .dtype = DType::kF32,
                           .rows = kRows,
                           .cols = kCols,
                           .left = {left.begin(), left.end()},
                           .right = {right.begin(), right.end()},
                           .scale = 0.25,
                           .changed = changed.data()};
    ThreadPool pool(threads);
    run_low_rank_work(work, pool);
    for (size_t row = 0; row < kRows; ++row) {
      for (size_t col = 0; col < kCols; ++col) {
        double sum = 0;
        for (size_t r = 0; r < kRank; ++r) {
          sum += static_cast<double>(left[row * kRank + r]) * static_cast<double>(right[r * kCols + col]);
        }
        ASSERT_EQ(changed[row * kCols + col],
                  static_cast<float>(static_cast<double>(source[row * kCols + col]) + 0.25 * sum));
      }
    }
  }
}

}  // namespace
}  // namespace bert
