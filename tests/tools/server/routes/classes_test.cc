// /v1/classify.
#include <gtest/gtest.h>

#include "bert/tasks.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/tools/server/test_service.h"

namespace bert::test {
namespace {

using nlohmann::json;

TEST(LabelledClasses, AreTheLibrarys) {
  for (const char* form : {"uni-encoder", "bi-encoder-fused"}) {
    const TemporaryDirectory directory;
    write_tiny_gliclass(directory, {.architecture = form});
    TestService service({{"built-in", ""}, {"classes", directory.path().string()}});
    const std::vector<std::string> texts = {"the quick fox", "", "over the lazy dog"};
    for (const bool several : {false, true}) {
      const ClassRequest request{.labels = {"dog", "fox", "lazy"}, .multi_label = several};
      const json answer =
          service.json("/v1/classify", {{"input", texts}, {"labels", request.labels}, {"multi_label", several}});
      EXPECT_EQ(answer["model"], "classes");
      EXPECT_GT(answer["usage"]["total_tokens"], 0);
      ASSERT_EQ(answer["data"].size(), 3u);
      for (size_t i = 0; i < texts.size(); ++i) {
        const std::vector<LabelScore> expected = score_labels(service.model("classes"), texts[i], request);
        const json& found = answer["data"][i]["labels"];
        ASSERT_EQ(found.size(), 3u);
        for (size_t j = 0; j < 3; ++j) {
          EXPECT_EQ(found[j]["label"], expected[j].label);
          EXPECT_EQ(found[j]["score"].get<double>(), expected[j].score);
        }
      }
    }
    const json best = service.json("/v1/classify", {{"input", "a"}, {"labels", {"dog", "fox"}}, {"top_k", 1}});
    EXPECT_EQ(best["data"][0]["labels"].size(), 1u);
    const server::HttpResponse predicted = service.post("/predict", R"({"inputs": "a"})");
    EXPECT_EQ(predicted.status, 424) << predicted.body;
    EXPECT_NE(predicted.body.find("/v1/classify takes labels"), std::string::npos) << predicted.body;
  }
}

TEST(LabelledClasses, AreAClassifiersOwnWithoutLabels) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  TestService service({{"film", folder.string()}});
  const json labels = service.json("/v1/classify", {{"input", "a charming film"}})["data"][0]["labels"];
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels[0]["label"], "positive");
  EXPECT_NEAR(labels[0]["score"].get<double>() + labels[1]["score"].get<double>(), 1, 1e-9);
  EXPECT_EQ(service.post("/v1/classify", R"({"input": "a", "labels": ["b"]})").status, 400);
}

}  // namespace
}  // namespace bert::test
