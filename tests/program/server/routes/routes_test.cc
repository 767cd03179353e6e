#include "program/server/routes/routes.h"

#include <gtest/gtest.h>

#include <set>

#include "program/server/routes/request_fields.h"

namespace bert::test {
namespace {

using server::match_route;

TEST(Routes, FindsModelsBeforeAPath) {
  EXPECT_EQ(match_route("POST", "/embed").route->path, std::string("/embed"));
  EXPECT_EQ(match_route("POST", "/embed").model, "");
  EXPECT_EQ(match_route("POST", "/models/a/embed").model, "a");
  EXPECT_EQ(match_route("POST", "/models/a/b/v1/embeddings").model, "a/b");
  EXPECT_EQ(match_route("GET", "/v1/models/a/b").parameter, "a/b");
  EXPECT_EQ(match_route("HEAD", "/health").route->path, std::string("/health"));
  EXPECT_EQ(match_route("PUT", "/embed").route, nullptr);
  EXPECT_EQ(match_route("PUT", "/").allowed, "POST, GET, HEAD");
  EXPECT_EQ(match_route("GET", "/models/a/nothing").allowed, "");
  EXPECT_EQ(match_route("GET", "").allowed, "");
}

TEST(Routes, AreAllInTheOpenApiDocument) {
  const nlohmann::json document = nlohmann::json::parse(server::openapi_document());
  EXPECT_EQ(document["openapi"], "3.1.0");
  size_t operations = 0;
  for (const auto& [path, methods] : document["paths"].items()) {
    EXPECT_TRUE(path.starts_with("/"));
    for (const auto& [method, operation] : methods.items()) {
      ++operations;
      EXPECT_TRUE(operation.contains("responses")) << path << " " << method;
      EXPECT_EQ(operation.contains("requestBody"), method == "post") << path;
    }
  }
  EXPECT_EQ(operations, server::routes().size());
  const nlohmann::json& embed = document["paths"]["/embed"]["post"]["requestBody"]["content"]["application/json"];
  EXPECT_EQ(embed["schema"]["required"], nlohmann::json({"inputs"}));
}

// Every option of a task is a field of its route and of the OpenAPI document, unless the route's table lists it as an
// exception.
TEST(Routes, HaveTheOptionsOfTheirTasks) {
  const nlohmann::json document = nlohmann::json::parse(server::openapi_document());
  std::set<std::string_view> tasks;
  for (const server::Route& route : server::routes()) {
    if (route.request.task.empty()) continue;
    tasks.insert(route.request.task);
    const nlohmann::json& schema =
        document["paths"][route.path]["post"]["requestBody"]["content"]["application/json"]["schema"];
    const std::set<std::string_view> left_out(route.request.left_out.begin(), route.request.left_out.end());
    for (const std::string_view name : left_out) EXPECT_NO_THROW(option_named(task_named(route.request.task), name));
    for (const TaskOption& option : task_named(route.request.task).options) {
      const std::string name(option.name);
      EXPECT_EQ(schema["properties"].contains(name), !left_out.contains(name)) << route.path << " " << name;
      if (left_out.contains(name)) continue;
      const nlohmann::json words = schema["properties"][name].value("enum", nlohmann::json::array());
      EXPECT_EQ(words.size(), option.words.size()) << route.path << " " << name;
      const std::string ignored = server::ignored_fields(route, {{name, 1}, {"no such field", 1}});
      EXPECT_EQ(ignored, "no?such?field") << route.path << " " << name;
    }
  }
  EXPECT_EQ(tasks, (std::set<std::string_view>{"classify", "redact", "rerank", "tag"}));
}

TEST(Routes, EachHasOnePlace) {
  std::set<std::string> seen;
  for (const server::Route& route : server::routes()) {
    EXPECT_TRUE(seen.insert(std::string(route.method) + route.path).second) << route.path;
    EXPECT_EQ(route.handler != nullptr, route.needs_key()) << route.path;
  }
}

}  // namespace
}  // namespace bert::test
