#include "engine/layers/neighbours.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace bert {
namespace {

// Two texts; in the first, place 2 is masked.
TEST(Neighbours, AreTheTokensOfThePlacesAroundInTheSameText) {
  const std::vector<int32_t> ids(7), places = {0, 1, 3, 4, 0, 1, 2};
  const std::vector<size_t> row_starts = {0, 4, 7};
  const RaggedBatch batch{ids, ids, ids, row_starts, places};
  const auto around = [&](size_t token) {
    std::array<size_t, 3> rows{};
    find_neighbours(batch, token, 1, rows);
    return rows;
  };
  EXPECT_EQ(around(0), (std::array<size_t, 3>{kNoRow, 0, 1}));
  EXPECT_EQ(around(1), (std::array<size_t, 3>{0, 1, kNoRow}));
  EXPECT_EQ(around(2), (std::array<size_t, 3>{kNoRow, 2, 3}));
  EXPECT_EQ(around(4), (std::array<size_t, 3>{kNoRow, 4, 5}));
  EXPECT_EQ(around(6), (std::array<size_t, 3>{5, 6, kNoRow}));
}

}  // namespace
}  // namespace bert
