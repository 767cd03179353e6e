#include "models/encoder/finite.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(Finite, IsWhatIsNoNaNAndNoInfinityWhereverItStands) {
  std::vector<float> values(37, std::numeric_limits<float>::max());
  EXPECT_TRUE(all_finite(values));
  EXPECT_TRUE(all_finite({}));
  for (const float bad : {kNaN, kInfinity, -kInfinity}) {
    for (size_t i = 0; i < values.size(); ++i) {
      std::vector<float> with = values;
      with[i] = bad;
      EXPECT_FALSE(all_finite(with)) << bad << " at " << i;
    }
  }
}

TEST(Finite, NamesTheSequenceAndTheToken) {
  const std::array<int32_t, 3> ids = {7, 8, 9};
  const std::array<size_t, 3> starts = {0, 1, 3};
  const std::array<int32_t, 3> places = {0, 0, 2};  // the second sequence's token 1 is masked
  ThreadPool pool(2);
  const RaggedBatch two{ids, {}, {}, starts, places};
  std::vector<float> rows = {1, 2, 3, 4, 5, 6};
  EXPECT_NO_THROW(check_finite(two, {rows.data(), 3, 2, 2}, pool));
  EXPECT_NO_THROW(check_pooled_finite(two, {rows.data(), 2, 2, 2}));
  rows[5] = kNaN;
  EXPECT_EQ(test::error_of(ErrorCode::kNonFinite,
                           [&] {
                             check_finite(two, {rows.data(), 3, 2, 2}, pool);
                           }),
            "sequence 1: a NaN or an infinity in the output for token 2 (id 9), expected finite numbers");
  EXPECT_NO_THROW(check_finite(two, {rows.data(), 3, 1, 2}, pool)) << "between the rows";
  EXPECT_EQ(test::error_of(ErrorCode::kNonFinite,
                           [&] {
                             check_pooled_finite(two, {rows.data() + 2, 2, 2, 2});
                           }),
            "sequence 1: a NaN or an infinity in the pooled output, expected finite numbers");
  const RaggedBatch one{std::span(ids).first(1), {}, {}, std::span(starts).first(2)};
  EXPECT_EQ(test::error_of(ErrorCode::kNonFinite,
                           [&] {
                             check_pooled_finite(one, {rows.data() + 4, 1, 2, 2});
                           }),
            "a NaN or an infinity in the pooled output, expected finite numbers");
}

}  // namespace
}  // namespace bert
