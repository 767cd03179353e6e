// Jina's multi-vector.
#include <gtest/gtest.h>

#include "bert/token_vectors.h"
#include "tests/support/tiny_model.h"
#include "tests/tools/server/test_service.h"

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

TEST_F(MultiVector, HasTheLibrarysVectorsOfEachRole) {
  TestService service({{"colbert", directory_.path().string()}});
  const Model model = Model::load(directory_.path().string());
  const std::vector<std::string> texts = {"the fox", "a dog and a fox"};
  for (const TextRole role : {TextRole::kQuery, TextRole::kDocument}) {
    const json answer = service.json(
        "/v1/multi-vector", {{"model", "colbert"}, {"input", texts}, {"input_type", name(role)}, {"dimensions", 24}});
    EXPECT_EQ(answer["model"], "colbert");
    EXPECT_GT(answer["usage"]["total_tokens"], 0);
    ASSERT_EQ(answer["data"].size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(answer["data"][i]["index"], i);
      const TokenVectors expected = model.vectors(texts[i], {.tokens = true, .role = role}).tokens;
      const json& rows = answer["data"][i]["embeddings"];
      ASSERT_EQ(rows.size(), expected.tokens.size());
      for (size_t row = 0; row < rows.size(); ++row) {
        EXPECT_EQ(rows[row].get<std::vector<float>>(),
                  std::vector<float>(expected.values.begin() + static_cast<std::ptrdiff_t>(24 * row),
                                     expected.values.begin() + static_cast<std::ptrdiff_t>(24 * (row + 1))));
      }
    }
  }
  // Documents by default, and one text without a list.
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
