#include "engine/layers/distance_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bert {
namespace {

int32_t row_of(const DistanceRows& rows, ptrdiff_t distance) {
  const auto last = static_cast<ptrdiff_t>(rows.rows.size()) - 1;
  return rows.rows[static_cast<size_t>(std::clamp<ptrdiff_t>(distance - rows.first, 0, last))];
}

TEST(DistanceRows, GivesEachDistanceARowUpToTheFarthest) {
  const DistanceRows rows = DistanceRows::each(3, 2);
  EXPECT_EQ(rows.first, -3);
  EXPECT_EQ(rows.rows, (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
}

// The expected values are those of make_log_bucket_position in transformers 5.23 plus `buckets`, limited to 0 and
// 2 * buckets - 1.
TEST(DistanceRows, HasTheReferencesLogarithmicBuckets) {
  const DistanceRows v3 = DistanceRows::log_buckets(256, 512);
  const std::vector<ptrdiff_t> distances = {-10000, -600, -515, -514, -513, -512, -511, -510, -400, -300, -200,
                                            -131,   -130, -129, -128, -127, -1,   0,    1,    127,  128,  129,
                                            130,    131,  200,  300,  400,  510,  511,  512,  513,  600,  10000};
  const std::vector<int32_t> expected = {0,   0,   0,   0,   0,   0,   1,   1,   23,  49,  87,
                                         125, 126, 127, 128, 129, 255, 256, 257, 383, 384, 385,
                                         386, 387, 425, 463, 489, 511, 511, 511, 511, 511, 511};
  for (size_t i = 0; i < distances.size(); ++i) EXPECT_EQ(row_of(v3, distances[i]), expected[i]) << distances[i];
}

// The expected values are the distances above buckets / 2 at which the reference begins another row.
TEST(DistanceRows, BeginsEachBucketWhereTheReferenceDoes) {
  const auto borders = [](size_t buckets, size_t max_distance, ptrdiff_t most) {
    const DistanceRows rows = DistanceRows::log_buckets(buckets, max_distance);
    std::vector<ptrdiff_t> found;
    for (auto d = static_cast<ptrdiff_t>(buckets / 2) + 1; d < most; ++d) {
      if (row_of(rows, d) != row_of(rows, d - 1)) found.push_back(d);
    }
    return found;
  };
  EXPECT_EQ(borders(16, 128, 500), (std::vector<ptrdiff_t>{9, 12, 18, 27, 39, 58, 86}));
  EXPECT_EQ(borders(320, 1000, 200), (std::vector<ptrdiff_t>{161, 162, 164, 166, 168, 170, 172, 174, 176, 178, 180, 182,
                                                             184, 186, 189, 191, 193, 195, 197}));
  EXPECT_EQ(borders(3, 50, 500), (std::vector<ptrdiff_t>{}));
}

}  // namespace
}  // namespace bert
