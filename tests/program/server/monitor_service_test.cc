#include "program/server/monitor_service.h"

#include <gtest/gtest.h>

#include "tests/program/server/test_service.h"

namespace bert::test {
namespace {

TEST(MonitorService, HasTheRoutesWithoutAKeyForAnyHost) {
  TestService service;
  server::MonitorService monitor(service.service());
  for (const char* path : {"/health", "/ready", "/metrics"}) {
    EXPECT_FALSE(monitor.refuse({.method = "GET", .path = path, .host = "a", .door = server::Door::kLoopback})) << path;
  }
  const auto refused = monitor.refuse({.method = "POST", .path = "/embed"});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 404);
  EXPECT_NE(service.get("/metrics").body.find("te_request_failure{err=\"not_found\"} 1\n"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
