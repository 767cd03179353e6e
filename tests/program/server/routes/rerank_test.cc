// Tests Jina's and Cohere's rerank.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/program/server/test_service.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using nlohmann::json;

TEST(RerankApis, HaveTheirOriginalsShapes) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  TestService service({{"reranker", folder.string()}});
  const json golden = json::parse(read_file(folder / "golden.json"))["cases"][0];
  json documents = json::array();
  for (const json& document : golden["documents"]) documents.push_back(document["text"]);
  const json raw = service.json(
      "/rerank", {{"query", golden["query"]}, {"texts", documents}, {"raw_scores", true}, {"truncate", true}});
  const json body = {{"model", "reranker"}, {"query", golden["query"]}, {"documents", documents}, {"top_n", 2}};

  const json jina = service.json("/v1/rerank", body);
  EXPECT_EQ(jina["model"], "reranker");
  EXPECT_GT(jina["usage"]["total_tokens"], 0);
  ASSERT_EQ(jina["results"].size(), 2u);
  const json cohere = service.json("/v2/rerank", body);
  EXPECT_EQ(cohere["id"].get<std::string>().size(), 36u);
  EXPECT_EQ(cohere["meta"]["api_version"]["version"], "2");
  ASSERT_EQ(cohere["results"].size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const size_t index = golden["order"][i];
    EXPECT_EQ(jina["results"][i]["index"], index);
    EXPECT_EQ(jina["results"][i]["document"]["text"], documents[index]);
    EXPECT_NEAR(jina["results"][i]["relevance_score"].get<double>(), 1 / (1 + std::exp(-raw[i]["score"].get<double>())),
                1e-6);
    EXPECT_EQ(cohere["results"][i]["index"], index);
    EXPECT_EQ(cohere["results"][i]["relevance_score"], jina["results"][i]["relevance_score"]);
    EXPECT_FALSE(cohere["results"][i].contains("document"));
  }
}

TEST(RerankApis, OrderByTheLogitAndGiveItAsTheRawScore) {
  const TemporaryDirectory directory;
  write_tiny_classifier(directory, {}, 40);
  TestService service({{"reranker", directory.path().string()}});
  const json texts = {"the lazy dog", "quick", "i like coding", "the brown fox"};
  for (const std::string path : {"/rerank", "/v1/rerank", "/v2/rerank"}) {
    const bool is_tei = path == "/rerank";
    const json body = {{"query", "the fox"}, {is_tei ? "texts" : "documents", texts}, {"raw_scores", true}};
    const json answer = service.json(path, body);
    const json& results = is_tei ? answer : answer["results"];
    ASSERT_EQ(results.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      const double logit = results[i][is_tei ? "score" : "relevance_score"];
      EXPECT_GT(logit, 30);
      if (i > 0) {
        EXPECT_LT(logit, results[i - 1][is_tei ? "score" : "relevance_score"].get<double>());
      }
    }
  }
}

TEST(RerankApis, TakeDocumentsAsObjectsAndRejectOthers) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  TestService service({{"reranker", folder.string()}});
  EXPECT_EQ(service.json("/v1/rerank", {{"query", "a"}, {"documents", {{{"text", "b"}}}}})["results"].size(), 1u);
  const server::HttpResponse jina = service.post("/v1/rerank", R"({"query": "a", "documents": [1]})");
  EXPECT_EQ(jina.status, 422);
  EXPECT_EQ(json::parse(jina.body)["detail"], "'documents[0]' is a number, expected a string");
  const server::HttpResponse cohere = service.post("/v2/rerank", R"({"query": "a", "documents": []})");
  EXPECT_EQ(cohere.status, 400);
  EXPECT_EQ(json::parse(cohere.body)["message"], "'documents' is empty, expected at least one text");
}

// A query of 100 KB with 20,000 documents would be 2 GB of pairs. The limit is checked before the query is copied.
TEST(RerankApis, CountDocumentsAndTheirPairsBytesBeforeTheyCopy) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  TestService service({{"reranker", folder.string()}});
  const std::string query(100'000, 'q');
  const auto ask = [&](const std::string& path, size_t count) {
    const char* field = path == "/rerank" ? "texts" : "documents";
    return service.post(path, json({{"query", query}, {field, json(std::vector<std::string>(count))}}).dump());
  };
  const size_t before = server::process_memory().anonymous;
  for (const std::string path : {"/rerank", "/v1/rerank", "/v2/rerank"}) {
    const server::HttpResponse many = ask(path, 20'000);
    EXPECT_EQ(many.status, path == "/v2/rerank" ? 400 : 422);
    EXPECT_NE(many.body.find("has 20000 texts, expected at most 2048"), std::string::npos) << many.body;
    const server::HttpResponse large = ask(path, 2000);
    EXPECT_EQ(large.status, 413);
    EXPECT_NE(large.body.find("together 200000000 bytes of pairs, expected at most 67108864"), std::string::npos)
        << large.body;
  }
  EXPECT_LT(server::process_memory().anonymous, before + (50u << 20));
}

}  // namespace
}  // namespace bert::test
