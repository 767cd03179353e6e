// Tests OpenAI's routes field by field, as OpenAI's documentation and its Python client 1.x describe them.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/program/server/test_service.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

using nlohmann::json;
using server::HttpResponse;

std::vector<float> decoded_floats(const std::string& text) {
  const auto digit = [](char c) -> uint32_t {
    const std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return c == '=' ? 0 : static_cast<uint32_t>(digits.find(c));
  };
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 4) {
    const uint32_t group =
        digit(text[i]) << 18 | digit(text[i + 1]) << 12 | digit(text[i + 2]) << 6 | digit(text[i + 3]);
    for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(group >> shift & 255);
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

TEST(OpenAi, GivesTheLibrarysOwnVectors) {
  TestService service;
  const std::vector<float> expected = service.model().embed("a dog", {.normalize = true});
  const json floats = service.json("/v1/embeddings", {{"model", "built-in"}, {"input", {"a cat", "a dog"}}});
  EXPECT_EQ(floats["object"], "list");
  EXPECT_EQ(floats["data"][1]["index"], 1);
  EXPECT_EQ(floats["data"][1]["object"], "embedding");
  EXPECT_EQ(floats["data"][1]["embedding"].get<std::vector<float>>(), expected);
  EXPECT_EQ(floats["usage"]["prompt_tokens"], 8);
  EXPECT_EQ(floats["usage"]["total_tokens"], 8);
  const json encoded = service.json("/embeddings", {{"input", "a dog"}, {"encoding_format", "base64"}});
  std::vector<float> decoded = decoded_floats(encoded["data"][0]["embedding"]);
  ASSERT_GE(decoded.size(), expected.size());
  decoded.resize(expected.size());  // drops the padding's bytes
  EXPECT_EQ(decoded, expected);
}

// As in Jina's API, the inputs are chunks of one text.
TEST(OpenAi, ChunksOneTextLate) {
  TestService service;
  const std::string text = "A cat. A dog sleeps.";
  const bert::VectorRequest request{.dense = bert::EmbedOptions{.normalize = true},
                                    .chunks = bert::ChunkOptions{.sentences = true}};
  const bert::TextVectors expected = service.model().vectors(text, request);
  const json chunks = service.json("/v1/embeddings", {{"input", {"A cat.", "A dog sleeps."}}, {"late_chunking", true}});
  ASSERT_EQ(chunks["data"].size(), 2u);
  std::vector<float> found = chunks["data"][0]["embedding"];
  const std::vector<float> second = chunks["data"][1]["embedding"];
  found.insert(found.end(), second.begin(), second.end());
  EXPECT_EQ(found, expected.dense);
  EXPECT_EQ(chunks["data"][1]["index"], 1);
  EXPECT_EQ(chunks["usage"]["total_tokens"], service.model().tokenizer().tokenize(text).size());
  EXPECT_EQ(service.post("/v1/embeddings", R"({"input": [[1, 2]], "late_chunking": true})").status, 400);
  EXPECT_EQ(service.post("/v1/embeddings", R"({"input": ["a", ""], "late_chunking": true})").status, 400);
}

TEST(OpenAi, CutsToDimensionsAndNormalises) {
  TestService service;
  const std::vector<float> expected = service.model().embed("a dog", {.normalize = true, .dimensions = 8});
  EXPECT_EQ(service.json("/v1/embeddings", {{"input", "a dog"}, {"dimensions", 8}})["data"][0]["embedding"]
                .get<std::vector<float>>(),
            expected);
  const HttpResponse response = service.post("/v1/embeddings", R"({"input": "a", "dimensions": 100000})");
  EXPECT_EQ(response.status, 400);
}

TEST(OpenAi, HasItsErrorObject) {
  TestService service;
  const HttpResponse response = service.post("/v1/embeddings", R"({"input": "a", "encoding_format": "hex"})");
  EXPECT_EQ(response.status, 400);
  const json error = json::parse(response.body)["error"];
  EXPECT_EQ(error["type"], "invalid_request_error");
  EXPECT_EQ(error["param"], "encoding_format");
  EXPECT_EQ(error["code"], nullptr);
  EXPECT_EQ(error["message"], "'encoding_format' is \"hex\", expected one of float, base64");
}

TEST(OpenAi, RejectsATextThatIsTooLongUnlessItMayCut) {
  BERT_MINILM_OR_SKIP(folder);
  TestService service({{"minilm", folder.string()}});
  std::string text;
  for (int i = 0; i < 300; ++i) text += "a ";
  const HttpResponse response = service.post("/v1/embeddings", json({{"input", text}}).dump());
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(json::parse(response.body)["error"]["code"], "context_length_exceeded");
}

TEST(OpenAi, TakesTokenIdsOnlyWhereAsked) {
  const HttpResponse refused = TestService().post("/v1/embeddings", R"({"input": [[1, 2]]})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("check_embedding_ctx_length=False"), std::string::npos);

  server::ServiceOptions options;
  options.api.accept_token_ids = true;
  TestService service({{"built-in", ""}}, options);
  const Encoding encoding = service.model().tokenizer().tokenize("a dog", {.add_special_tokens = false});
  const json with_text = service.json("/v1/embeddings", {{"input", "a dog"}});
  const json one = service.json("/v1/embeddings", {{"input", encoding.ids}});
  const json list = service.json("/v1/embeddings", {{"input", {encoding.ids}}});
  EXPECT_EQ(one["data"], with_text["data"]);
  EXPECT_EQ(list["data"], with_text["data"]);
  EXPECT_EQ(service.post("/v1/embeddings", R"({"input": [999999999]})").status, 400);
}

TEST(OpenAi, ListsTheModels) {
  TestService service({{"one", ""}, {"two", ""}});
  const json models = json::parse(service.get("/v1/models").body);
  EXPECT_EQ(models["object"], "list");
  ASSERT_EQ(models["data"].size(), 2u);
  EXPECT_EQ(models["data"][0]["id"], "one");
  EXPECT_EQ(models["data"][0]["object"], "model");
  EXPECT_EQ(json::parse(service.get("/v1/models/two").body)["id"], "two");
  EXPECT_EQ(service.get("/v1/models/three").status, 404);
}

}  // namespace
}  // namespace bert::test
