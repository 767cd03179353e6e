#include "program/server/routes/pages.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/program/server/test_service.h"

namespace bert::test {
namespace {

server::HttpRequest browser(const std::string& path) {
  return {.method = "GET",
          .path = path,
          .fields = {{"accept", "text/html,*/*;q=0.8"}},
          .host = "localhost:8080",
          .door = server::Door::kLoopback};
}

TEST(StartPage, IsForABrowserOnly) {
  TestService service;
  const server::HttpResponse page = service.ask(browser("/"));
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_NE(page.body.find("<td>built-in<td>embedding<td>float16<td>160<td>128"), std::string::npos) << page.body;
  EXPECT_NE(page.body.find("href=\"docs\""), std::string::npos);
  EXPECT_EQ(service.get("/").status, 200);
  EXPECT_EQ(service.get("/").body, "");
}

TEST(StartPage, NamesNoModelToWhoHasNoKey) {
  TestService service({{"built-in", ""}}, {}, "secret");
  server::HttpRequest request = browser("/");
  EXPECT_EQ(service.ask(request).body.find("built-in"), std::string::npos);
  request.fields.emplace_back("authorization", "Bearer secret");
  EXPECT_NE(service.ask(request).body.find("built-in"), std::string::npos);
}

TEST(StartPage, IsNotShownUnderAnotherHostsName) {
  TestService service;
  server::HttpRequest request = browser("/");
  request.host = "attacker.example";
  EXPECT_NE(service.ask(request).status, 200);
}

TEST(RoutesPage, HasACommandForEachRoute) {
  TestService service;
  const server::HttpResponse page = service.ask(browser("/docs"));
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  for (const server::Route& route : server::routes()) {
    const std::string path = route.path, begin = path.substr(0, path.find('*'));
    EXPECT_NE(page.body.find("curl http://localhost:8080" + begin), std::string::npos) << path;
  }
  EXPECT_NE(page.body.find("-d '{&quot;input&quot;: [&quot;A text&quot;, &quot;Another one&quot;]}'"),
            std::string::npos);
}

// The built-in model cannot answer these routes; their answers name the required kind of model.
const std::set<std::string> kOtherModels = {"/predict",     "/v1/multi-vector", "/v1/ner",
                                            "/v1/classify", "/v1/redact",       "/pooling"};

TEST(RoutesPage, HasExamplesThatAreAnswered) {
  TestService service;
  for (const server::Route& route : server::routes()) {
    if (*route.example == '\0') {
      EXPECT_NE(std::string("POST"), route.method) << route.path;
      continue;
    }
    const server::HttpResponse answer = service.post(route.path, route.example);
    EXPECT_EQ(answer.status == 200, !kOtherModels.contains(route.path))
        << route.path << ": " << answer.body.substr(0, 300);
    EXPECT_TRUE(answer.status == 200 || answer.body.find("model") != std::string::npos);
  }
}

}  // namespace
}  // namespace bert::test
