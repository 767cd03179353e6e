#include "program/server/http/request_id.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace bert::test {
namespace {

TEST(RequestId, IsARandomUuid) {
  const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = server::random_uuid();
    EXPECT_TRUE(std::regex_match(id, form)) << id;
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 1000u);
}

// The traceparent is the example of W3C's Trace Context.
TEST(RequestId, TakesOnlyTraceparentsOfTheStandardsForm) {
  const std::string good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_TRUE(server::is_traceparent(good));
  EXPECT_FALSE(server::is_traceparent(""));
  EXPECT_FALSE(server::is_traceparent(good + "\r\nx: y"));
  EXPECT_FALSE(server::is_traceparent("00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
}

}  // namespace
}  // namespace bert::test
