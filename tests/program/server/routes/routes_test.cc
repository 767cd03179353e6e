#include "program/server/routes/routes.h"

#include <gtest/gtest.h>

#include <set>

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

TEST(Routes, EachHasOnePlace) {
  std::set<std::string> seen;
  for (const server::Route& route : server::routes()) {
    EXPECT_TRUE(seen.insert(std::string(route.method) + route.path).second) << route.path;
    EXPECT_EQ(route.handler != nullptr, route.needs_key()) << route.path;
  }
}

}  // namespace
}  // namespace bert::test
