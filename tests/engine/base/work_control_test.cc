#include "engine/base/work_control.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(WorkControl, AsksTheInnermostOneOfItsThread) {
  WorkControl::check();
  const std::function<bool()> no = [] { return false; }, none;
  const WorkControl outer(no);
  EXPECT_EQ(test::error_of(ErrorCode::kCancelled, [] { WorkControl::check(); }), "the computation was cancelled");
  std::thread([] { WorkControl::check(); }).join();
  {
    const WorkControl inner(none);
    WorkControl::check();
  }
  test::error_of(ErrorCode::kCancelled, [] { WorkControl::check(); });
}

}  // namespace
}  // namespace bert
