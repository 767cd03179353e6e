// Tests Cohere's /v2/embed.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/program/server/test_service.h"

namespace bert::test {
namespace {

using nlohmann::json;

TEST(CohereEmbed, GivesEachTypeOfNumbers) {
  TestService service;
  const std::vector<float> vector = service.model().embed("a dog", {.normalize = true});
  const json answer =
      service.json("/v2/embed", {{"model", "built-in"},
                                 {"texts", {"a dog"}},
                                 {"input_type", "search_query"},
                                 {"embedding_types", {"float", "int8", "uint8", "binary", "ubinary", "base64"}}});
  EXPECT_EQ(answer["response_type"], "embeddings_by_type");
  EXPECT_EQ(answer["texts"], json({"a dog"}));
  EXPECT_EQ(answer["meta"]["billed_units"]["input_tokens"], 4);
  const json& all = answer["embeddings"];
  EXPECT_EQ(all["float"][0].get<std::vector<float>>(), vector);
  ASSERT_EQ(all["int8"][0].size(), vector.size());
  ASSERT_EQ(all["ubinary"][0].size(), (vector.size() + 7) / 8);
  for (size_t i = 0; i < vector.size(); ++i) {
    const int expected = static_cast<int>(std::lround(vector[i] * 127));
    EXPECT_EQ(all["int8"][0][i], expected);
    EXPECT_EQ(all["uint8"][0][i], expected + 128);
    const int byte = all["ubinary"][0][i / 8];
    EXPECT_EQ(byte >> (7 - i % 8) & 1, vector[i] > 0 ? 1 : 0);
    EXPECT_EQ(all["binary"][0][i / 8], byte - 128);
  }
  EXPECT_EQ(all["base64"][0].get<std::string>().size(), (4 * vector.size() + 2) / 3 * 4);
  EXPECT_EQ(service.json("/v2/embed", {{"texts", {"a dog"}}, {"output_dimension", 8}})["embeddings"]["float"][0].size(),
            8u);
}

TEST(CohereEmbed, TruncatesAtTheEndAsked) {
  TestService service;
  const size_t room = service.model().max_length() - 2;
  std::string text = "dog";
  for (size_t i = 0; i < room; ++i) text += " a";
  const auto vector = [&](const char* truncate) {
    return service.json("/v2/embed", {{"texts", {text}}, {"truncate", truncate}})["embeddings"]["float"][0];
  };
  const std::string at_end = text.substr(0, text.size() - 2), at_start = text.substr(4);
  EXPECT_EQ(vector("END").get<std::vector<float>>(), service.model().embed(at_end, {.normalize = true}));
  EXPECT_EQ(vector("START").get<std::vector<float>>(), service.model().embed(at_start, {.normalize = true}));
  const server::HttpResponse refused =
      service.post("/v2/embed", json({{"texts", {text}}, {"truncate", "NONE"}}).dump());
  EXPECT_EQ(refused.status, 400);
  EXPECT_TRUE(json::parse(refused.body).contains("message"));
}

TEST(CohereEmbed, RejectsImagesAndUnknownTypes) {
  TestService service;
  EXPECT_EQ(service.post("/v2/embed", R"({"images": ["x"], "texts": []})").status, 400);
  EXPECT_EQ(service.post("/v2/embed", R"({"texts": ["a"], "embedding_types": ["int4"]})").status, 400);
  EXPECT_EQ(service.post("/v2/embed", R"({"texts": ["a"], "input_type": "song"})").status, 400);
}

}  // namespace
}  // namespace bert::test
