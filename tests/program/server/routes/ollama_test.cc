// Tests Ollama's routes.
#include <gtest/gtest.h>

#include "tests/program/server/test_service.h"

namespace bert::test {
namespace {

using nlohmann::json;

TEST(Ollama, EmbedsAndCutsByDefault) {
  TestService service;
  const json answer = service.json("/api/embed", {{"model", "built-in:latest"}, {"input", {"a dog", "a cat"}}});
  EXPECT_EQ(answer["model"], "built-in");
  EXPECT_EQ(answer["prompt_eval_count"], 8);
  EXPECT_EQ(answer["embeddings"][0].get<std::vector<float>>(), service.model().embed("a dog", {.normalize = true}));
  EXPECT_GT(answer["total_duration"], 0);
  EXPECT_EQ(service.json("/api/embeddings", {{"model", "built-in"}, {"prompt", "a dog"}})["embedding"]
                .get<std::vector<float>>(),
            service.model().embed("a dog"));
  std::string text;
  for (size_t i = 0; i < service.model().max_length(); ++i) text += "a ";
  EXPECT_EQ(service.json("/api/embed", {{"input", text}})["compute"]["truncated_tokens"], 2);
  const server::HttpResponse refused = service.post("/api/embed", json({{"input", text}, {"truncate", false}}).dump());
  EXPECT_EQ(refused.status, 400);
  EXPECT_TRUE(json::parse(refused.body)["error"].is_string());
}

TEST(Ollama, HasItsErrorsUnderEveryPathOfItsOwn) {
  TestService service;
  for (const server::HttpResponse& answer : {service.get("/api/none"), service.get("/api/embed")}) {
    EXPECT_GE(answer.status, 404);
    EXPECT_TRUE(json::parse(answer.body)["error"].is_string()) << answer.body;
  }
}

TEST(Ollama, DescribesItsModels) {
  TestService service;
  const json tags = json::parse(service.get("/api/tags").body);
  EXPECT_EQ(tags["models"][0]["name"], "built-in");
  EXPECT_EQ(tags["models"][0]["capabilities"], json({"embedding"}));
  const json running = json::parse(service.get("/api/ps").body)["models"][0];
  EXPECT_EQ(running["name"], "built-in");
  EXPECT_EQ(running["details"], tags["models"][0]["details"]);
  EXPECT_EQ(running["context_length"], service.model().max_length());
  size_t parameters = 0;
  for (const TensorInfo& tensor : service.model().describe().tensors) {
    size_t numbers = 1;
    for (const size_t dimension : tensor.shape) numbers *= dimension;
    parameters += numbers;
  }
  char size[16];
  std::snprintf(size, sizeof(size), "%.2fM", static_cast<double>(parameters) / 1e6);
  EXPECT_EQ(running["details"]["parameter_size"], size);
  const json show = service.json("/api/show", {{"model", "built-in"}});
  EXPECT_EQ(show["capabilities"], json({"embedding"}));
  EXPECT_EQ(show["model_info"]["bert.embedding_length"], service.model().embedding_size());
  EXPECT_EQ(service.json("/api/show", {{"name", "built-in"}}), show);
  const server::HttpResponse unknown = service.post("/api/show", R"({"model": "x"})");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(json::parse(service.get("/api/version").body)["version"], std::string(version()));
}

}  // namespace
}  // namespace bert::test
