// Tests the checks of thresholds and of memory.
#include "tasks/search/cluster_run.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(ClusterRun, ThresholdsAreCosinesAboveZero) {
  check_threshold(1);
  check_threshold(0.001);
  for (const double wrong : {0.0, -0.5, 1.0001, std::nan("")}) {
    const std::string message = test::error_of(ErrorCode::kInvalidArgument, [&] { check_threshold(wrong); });
    EXPECT_NE(message.find(", expected a cosine above 0 and at most 1"), std::string::npos) << wrong;
  }
}

TEST(ClusterRun, MemoryIsLimitedWhereTheCallerSaysSo) {
  check_bytes({}, SIZE_MAX);
  check_bytes({.most_bytes = 100}, 100);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [] { check_bytes({.most_bytes = 100}, 101); }),
            "needs 101 bytes of memory, expected at most 100");
}

}  // namespace
}  // namespace bert
