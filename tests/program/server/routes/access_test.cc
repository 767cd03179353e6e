// Checks that a web page of another origin can make no request.
#include "program/server/routes/access.h"

#include <gtest/gtest.h>

#include "tests/program/server/test_service.h"

namespace bert::test {
namespace {

using server::HttpResponse;

const char* const kDog = R"({"inputs": "a dog"})";

TEST(Access, IsForTheHostsThatTheAddressHas) {
  const auto status = [](TestService& service, server::Door door, const std::string& host) {
    return service.ask({.method = "POST", .path = "/embed", .body = kDog, .host = host, .door = door}).status;
  };
  using enum server::Door;
  TestService plain;
  for (const char* host : {"localhost", "localhost:8080", "a.localhost", "localhost.", "127.0.0.1:1", "[::1]:80", ""}) {
    EXPECT_EQ(status(plain, kLoopback, host), 200) << host;
  }
  for (const char* host : {"a.example", "127.0.0.1.a.example", "localhost.a.example", "10.0.0.1", "[::2]"}) {
    EXPECT_EQ(status(plain, kLoopback, host), 421) << host;
    EXPECT_EQ(status(plain, kOther, host), 200) << host;
    EXPECT_EQ(status(plain, kUnixSocket, host), 200) << host;
  }
  server::ServiceOptions options;
  options.allowed_hosts = {"a.example"};
  TestService named({{"built-in", ""}}, options);
  EXPECT_EQ(status(named, kOther, "a.example:8080"), 200);
  EXPECT_EQ(status(named, kOther, "b.example"), 421);
  EXPECT_EQ(status(named, kOther, "localhost"), 421);
  EXPECT_EQ(status(named, kLoopback, "localhost"), 200);
  EXPECT_EQ(named.ask({.method = "GET", .path = "/health", .host = "b.example"}).status, 200);
  const HttpResponse refused = named.ask({.method = "GET", .path = "/v1/models", .host = "b.example"});
  EXPECT_NE(refused.body.find("'b.example'"), std::string::npos) << refused.body;
  EXPECT_NE(refused.body.find("--allowed-host"), std::string::npos) << refused.body;
  options.allowed_hosts = {"*"};
  TestService open({{"built-in", ""}}, options);
  EXPECT_EQ(status(open, kLoopback, "a.example"), 200);
}

TEST(Access, TakesTheClientsAddressFromAProxysField) {
  const server::HttpRequest direct{.client = "192.0.2.1"};
  EXPECT_EQ(server::client_address(direct, ""), "192.0.2.1");
  EXPECT_EQ(server::client_address(direct, "X-Real-IP"), "192.0.2.1");
  const server::HttpRequest proxied{.fields = {{"x-forwarded-for", "10.0.0.1, 192.0.2.7"}}, .client = "unix"};
  EXPECT_EQ(server::client_address(proxied, "X-Forwarded-For"), "192.0.2.7");
  EXPECT_EQ(server::client_address(proxied, ""), "unix");
}

TEST(Access, KnowsTheTypeOfJson) {
  for (const char* type : {"application/json", "Application/JSON", "application/json ; charset=utf-8"}) {
    EXPECT_TRUE(server::is_json(type)) << type;
  }
  for (const char* type :
       {"", "text/plain", "application/jsonx", "application/json,text/plain", "; application/json"}) {
    EXPECT_FALSE(server::is_json(type)) << type;
  }
}

}  // namespace
}  // namespace bert::test
