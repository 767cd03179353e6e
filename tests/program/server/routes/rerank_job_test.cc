// Tests how documents are scored by each kind of model.
#include <gtest/gtest.h>

#include "bert/vectors.h"
#include "tests/program/server/test_service.h"

namespace bert::test {
namespace {

using nlohmann::json;

TEST(RerankJob, AnEmbeddingModelScoresByTheSimilarityOfItsVectors) {
  TestService service;
  const Model& model = service.model();
  const std::vector<float> query = model.embed("a bird");
  const json texts = {"a stone", "an airplane", ""};
  for (const bool raw : {false, true}) {
    const json found = service.json("/rerank", {{"query", "a bird"}, {"texts", texts}, {"raw_scores", raw}});
    ASSERT_EQ(found.size(), 3u);
    for (const json& one : found) {
      const std::vector<float> document = model.embed(texts[one["index"].get<size_t>()].get<std::string>());
      EXPECT_EQ(one["score"].get<float>(), static_cast<float>(cosine_similarity(query, document)));
    }
  }
  EXPECT_EQ(service.json("/v1/rerank", {{"query", "a bird"}, {"documents", texts}})["results"].size(), 3u);
  EXPECT_EQ(json::parse(service.get("/info").body)["model_type"]["embedding"]["rerank_score"], "cosine");
}

}  // namespace
}  // namespace bert::test
