// Tests Jina's multi-vector route.
#include <gtest/gtest.h>

#include "tests/program/server/test_service.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using nlohmann::json;

class MultiVector : public ::testing::Test {
 protected:
  MultiVector() {
    write_tiny_model(directory_);
    directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""}])");
    directory_.write(
        "config_sentence_transformers.json",
        R"({"model_type": "ColBERT", "query_prefix": "the", "query_length": 8, "skiplist_words": ["dog"]})");
  }

  TemporaryDirectory directory_;
};

TEST_F(MultiVector, HasVectorsOfEachTextAndRole) {
  TestService service({{"colbert", directory_.path().string()}});
  for (const auto& [role, rows] : {std::pair{"query", 8}, {"document", 6}}) {
    const json answer = service.json(
        "/v1/multi-vector",
        {{"model", "colbert"}, {"input", {"the fox", "a dog and a fox"}}, {"input_type", role}, {"dimensions", 24}});
    EXPECT_EQ(answer["model"], "colbert");
    EXPECT_GT(answer["usage"]["total_tokens"], 0);
    ASSERT_EQ(answer["data"].size(), 2u);
    EXPECT_EQ(answer["data"][1]["index"], 1);
    EXPECT_EQ(answer["data"][1]["embeddings"].size(), rows) << "of documents without the dog";
    EXPECT_EQ(answer["data"][1]["embeddings"][0].size(), 24u);
  }
  // The role is document by default. A single text needs no list.
  const json one = service.json("/v1/multi-vector", {{"input", "the fox"}});
  EXPECT_EQ(one["data"][0]["embeddings"].size(), 4u);
}

TEST_F(MultiVector, CutsLongTextsUnlessTheyAreRefused) {
  TestService service({{"colbert", directory_.path().string()}});
  std::string text;
  for (int i = 0; i < 60; ++i) text += "fox ";
  const json cut = service.json("/v1/multi-vector", {{"input", text}});
  EXPECT_EQ(cut["data"][0]["embeddings"].size(), 24u);
  EXPECT_EQ(cut["compute"]["truncated_tokens"], 38);
  EXPECT_EQ(service.post("/v1/multi-vector", json({{"input", text}, {"truncate", false}}).dump()).status, 400);
}

TEST_F(MultiVector, NamesWhatIsWrong) {
  TestService service({{"colbert", directory_.path().string()}, {"built-in", ""}});
  const auto detail = [&](const json& body) {
    const server::HttpResponse response = service.post("/v1/multi-vector", body.dump());
    EXPECT_GE(response.status, 400);
    EXPECT_LT(response.status, 500);
    return json::parse(response.body)["detail"].get<std::string>();
  };
  EXPECT_EQ(detail({{"input", "a"}, {"model", "built-in"}}),
            "model 'built-in' makes no token vectors, expected a late-interaction model");
  EXPECT_EQ(detail({{"input", "a"}, {"dimensions", 12}}), "'dimensions' is 12, expected 24, the model's");
  EXPECT_NE(detail({{"input", "a"}, {"input_type", "both"}}).find("'input_type'"), std::string::npos);
  EXPECT_NE(detail({{"input", "a"}, {"embedding_type", "base64"}}).find("'embedding_type'"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
