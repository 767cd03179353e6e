// Tests the routes of text-embeddings-inference that compute.
#include <gtest/gtest.h>

#include <cmath>

#include "bert/text_tasks.h"
#include "tests/program/server/test_service.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using nlohmann::json;

TEST(Tei, EmbedsAStringOrAList) {
  TestService service;
  const std::vector<float> expected = service.model().embed("a dog", {.normalize = true});
  EXPECT_EQ(service.json("/embed", {{"inputs", "a dog"}}).get<std::vector<std::vector<float>>>(),
            std::vector<std::vector<float>>{expected});
  EXPECT_EQ(service.json("/embed", {{"inputs", {"a cat", "a dog"}}})[1].get<std::vector<float>>(), expected);
  EXPECT_EQ(service.json("/embed", {{"inputs", "a dog"}, {"normalize", false}})[0].get<std::vector<float>>(),
            service.model().embed("a dog", {.normalize = false}));
  EXPECT_EQ(service.json("/", {{"inputs", "a dog"}}), service.json("/invocations", {{"inputs", "a dog"}}));
}

TEST(Tei, EmbedsEachToken) {
  TestService service;
  const EncodedText encoded = service.model().encode("a dog");
  const json all = service.json("/embed_all", {{"inputs", "a dog"}});
  ASSERT_EQ(all[0].size(), encoded.tokens);
  const std::vector<float> last = all[0][encoded.tokens - 1];
  EXPECT_EQ(last, std::vector<float>(encoded.last_hidden_state.end() - static_cast<std::ptrdiff_t>(encoded.hidden),
                                     encoded.last_hidden_state.end()));
}

TEST(Tei, ComparesASentenceWithOthers) {
  TestService service;
  const json scores = service.json(
      "/similarity", {{"inputs", {{"source_sentence", "a dog"}, {"sentences", {"a dog", "the stock market fell"}}}}});
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_NEAR(scores[0].get<double>(), 1, 1e-6);
  EXPECT_LT(scores[1].get<double>(), 0.9);
}

TEST(Tei, EmbedsSparse) {
  const TemporaryDirectory directory;
  write_tiny_splade(directory, R"({"pooling_strategy": "max"})");
  const std::string folder = directory.path().string();
  TestService service({{"splade", folder}});
  const json all = service.json("/embed_sparse", {{"inputs", {"the quick fox", "a"}}});
  ASSERT_EQ(all.size(), 2u);
  const SparseVector expected = Model::load(folder).vectors("the quick fox", {.sparse = SparseOptions{}}).sparse;
  ASSERT_EQ(all[0].size(), expected.ids.size());
  ASSERT_GT(expected.ids.size(), 0u);
  for (size_t i = 0; i < expected.ids.size(); ++i) {
    EXPECT_EQ(all[0][i]["index"].get<int32_t>(), expected.ids[i]);
    EXPECT_EQ(all[0][i]["value"].get<float>(), expected.weights[i]);
  }
}

TEST(Tei, RefusesSparseVectorsOfAModelThatMakesNone) {
  const TemporaryDirectory directory;
  write_tiny_model(directory);
  TestService service({{"dense", directory.path().string()}});
  const auto response = service.post("/embed_sparse", R"({"inputs": "a"})");
  EXPECT_EQ(response.status, 422);
  EXPECT_NE(response.body.find("makes no sparse vectors"), std::string::npos) << response.body;
}

// The golden scores are sentence-transformers' CrossEncoder's, with its sigmoid.
TEST(Tei, RanksAsTheReference) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  TestService service({{"reranker", folder.string()}});
  const json golden = json::parse(read_file(folder / "golden.json"))["cases"][0];
  json texts = json::array();
  for (const json& document : golden["documents"]) texts.push_back(document["text"]);
  const json ranks = service.json(
      "/rerank",
      {{"query", golden["query"]}, {"texts", texts}, {"truncate", true}, {"return_text", true}, {"raw_scores", true}});
  ASSERT_EQ(ranks.size(), golden["order"].size());
  const json squashed = service.json("/rerank", {{"query", golden["query"]}, {"texts", texts}, {"truncate", true}});
  for (size_t i = 0; i < ranks.size(); ++i) {
    EXPECT_EQ(ranks[i]["index"], golden["order"][i]);
    EXPECT_EQ(ranks[i]["text"], texts[golden["order"][i].get<size_t>()]);
    EXPECT_NEAR(squashed[i]["score"].get<double>(), 1 / (1 + std::exp(-ranks[i]["score"].get<double>())), 1e-6);
    EXPECT_FALSE(squashed[i].contains("text"));
  }
  EXPECT_EQ(service.post("/embed", R"({"inputs": "a"})").status, 424);
  EXPECT_EQ(service.post("/", R"({"query": "a", "texts": ["b"]})").status, 200);
}

TEST(Tei, PredictsSinglePairAndBatch) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  TestService service({{"classifier", folder.string()}});
  const std::vector<LabelScore> expected = classify(service.model("classifier"), "a lovely film");
  const json one = service.json("/predict", {{"inputs", "a lovely film"}});
  ASSERT_EQ(one.size(), expected.size());
  EXPECT_EQ(one[0]["label"], expected[0].label);
  EXPECT_FLOAT_EQ(one[0]["score"].get<float>(), static_cast<float>(expected[0].score));
  const json batch = service.json("/predict", {{"inputs", {{"a lovely film"}, {"a film", "and a book"}}}});
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_EQ(batch[0], one);
  EXPECT_EQ(service.json("/predict", {{"inputs", {"a film", "and a book"}}}), batch[1]);
  EXPECT_EQ(service.post("/predict", R"({"inputs": ["a", "b", "c"]})").status, 422);
  EXPECT_EQ(service.post("/rerank", R"({"query": "a", "texts": ["b"]})").status, 424);
}

}  // namespace
}  // namespace bert::test
