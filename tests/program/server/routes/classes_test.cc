// Tests /v1/classify.
#include <gtest/gtest.h>

#include "tests/program/server/test_service.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliclass.h"

namespace bert::test {
namespace {

using nlohmann::json;

TEST(LabelledClasses, AreOfEachText) {
  const TemporaryDirectory directory;
  write_tiny_gliclass(directory);
  TestService service({{"built-in", ""}, {"classes", directory.path().string()}});
  const std::vector<std::string> texts = {"the quick fox", "", "over the lazy dog"};
  const json answer = service.json("/v1/classify", {{"input", texts}, {"labels", {"dog", "fox", "lazy"}}});
  EXPECT_EQ(answer["model"], "classes");
  EXPECT_GT(answer["usage"]["total_tokens"], 0);
  ASSERT_EQ(answer["data"].size(), 3u);
  for (const json& one : answer["data"]) EXPECT_EQ(one["labels"].size(), 3u);
  const json best = service.json("/v1/classify", {{"input", "a"}, {"labels", {"dog", "fox"}}, {"top_k", 1}});
  EXPECT_EQ(best["data"][0]["labels"].size(), 1u);
  const server::HttpResponse predicted = service.post("/predict", R"({"inputs": "a"})");
  EXPECT_EQ(predicted.status, 424) << predicted.body;
  EXPECT_NE(predicted.body.find("/v1/classify takes labels"), std::string::npos) << predicted.body;
}

TEST(LabelledClasses, AreAClassifiersOwnWithoutLabels) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  TestService service({{"film", folder.string()}});
  const json labels = service.json("/v1/classify", {{"input", "a charming film"}})["data"][0]["labels"];
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels[0]["label"], "positive");
  EXPECT_EQ(service.post("/v1/classify", R"({"input": "a", "labels": ["b"]})").status, 400);
}

}  // namespace
}  // namespace bert::test
