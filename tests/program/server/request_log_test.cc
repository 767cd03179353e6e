#include "program/server/request_log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace bert::test {
namespace {

TEST(RequestLog, IsOneLineOfJson) {
  const std::string line = server::log_line({.method = "POST",
                                             .path = "/embed\n\"x",
                                             .request_id = "id",
                                             .traceparent = "",
                                             .status = 503,
                                             .total_ms = 1.5,
                                             .job = nullptr,
                                             .error = "why",
                                             .client = "192.0.2.1"});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const nlohmann::json object = nlohmann::json::parse(line);
  EXPECT_EQ(object["level"], "error");
  EXPECT_EQ(object["path"], "/embed\n\"x");
  EXPECT_EQ(object["total_ms"], 1.5);
  EXPECT_EQ(object["error"], "why");
  EXPECT_EQ(object["client"], "192.0.2.1");
  EXPECT_EQ(object["time"].get<std::string>().size(), 24u);
  EXPECT_FALSE(object.contains("dropped_lines"));
  EXPECT_FALSE(object.contains("traceparent"));
  EXPECT_FALSE(object.contains("model"));
}

TEST(RequestLog, SaysHowManyLinesWereDropped) {
  server::RequestRecord record;
  record.dropped_lines = 3;
  EXPECT_EQ(nlohmann::json::parse(server::log_line(record))["dropped_lines"], 3);
}

TEST(RequestLog, HasMessagesToo) {
  const nlohmann::json object = nlohmann::json::parse(server::message_line("info", "ready \"now\""));
  EXPECT_EQ(object["level"], "info");
  EXPECT_EQ(object["message"], "ready \"now\"");
  EXPECT_EQ(object["time"].get<std::string>().size(), 24u);
}

}  // namespace
}  // namespace bert::test
