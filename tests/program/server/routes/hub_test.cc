// Compares Hugging Face's inference API with the pipelines in float64.
#include <gtest/gtest.h>

#include "bert/tasks.h"
#include "tests/program/server/test_service.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using nlohmann::json;
using server::HttpResponse;

json golden_cases(const std::filesystem::path& folder) {
  return json::parse(read_file(folder / "golden.json"))["cases"];
}

// The paths at which Hugging Face's clients call a model.
const char* const kPaths[] = {"/", "/models/m", "/models/m/", "/invocations"};

TEST(HubApi, TokenClassificationIsThePipelines) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  TestService service({{"m", folder.string()}});
  const json one = golden_cases(folder)[0];
  for (const std::string strategy : {"none", "max"}) {
    const json body = {{"inputs", one["text"]}, {"parameters", {{"aggregation_strategy", strategy}}}};
    for (const char* path : kPaths) {
      const json found = service.json(path, body);
      const json& expected = one["results"][strategy];
      ASSERT_EQ(found.size(), expected.size()) << path << " " << strategy;
      for (size_t i = 0; i < found.size(); ++i) {
        const char* label = strategy == "none" ? "entity" : "entity_group";
        EXPECT_EQ(found[i][label], expected[i][label]);
        EXPECT_EQ(found[i]["word"], expected[i]["word"]);
        EXPECT_EQ(found[i]["start"], expected[i]["start"]);
        EXPECT_EQ(found[i]["end"], expected[i]["end"]);
        EXPECT_NEAR(found[i]["score"].get<double>(), expected[i]["score"].get<double>(), 2e-6);
      }
    }
  }
  const json all = service.json("/", {{"inputs", one["text"]}, {"parameters", json::object()}});
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(all[0].contains("entity_group")) << "simple by default";
  const json ignored =
      service.json("/", {{"inputs", one["text"]}, {"parameters", {{"ignore_labels", {all[0]["entity_group"]}}}}});
  for (const json& entity : ignored) EXPECT_NE(entity["entity_group"], all[0]["entity_group"]);
}

// The cases use each option of the pipeline under the pipeline's name. The answer is an object, or with top_k a list.
TEST(HubApi, QuestionAnsweringIsThePipelines) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  TestService service({{"m", folder.string()}});
  for (const json& one : golden_cases(folder)) {
    json body = {{"inputs", {{"question", one["question"]}, {"context", one["context"]}}}};
    body["parameters"] = one["options"];
    const json answer = service.json("/", body);
    const json found = answer.is_array() ? answer : json::array({answer});
    const json& expected = one["results"]["possible"];
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      for (const char* part : {"answer", "start", "end"}) EXPECT_EQ(found[i][part], expected[i][part]);
    }
  }
}

TEST(HubApi, FillMaskIsThePipelines) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-mlm");
  TestService service({{"m", folder.string()}});
  const json one = golden_cases(folder)[0];
  const json found = service.json("/", {{"inputs", one["text"]}, {"parameters", json::object()}});
  ASSERT_EQ(found.size(), one["results"].size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i]["token"], one["results"][i]["token"]);
    EXPECT_EQ(found[i]["token_str"], one["results"][i]["token_str"]);
    EXPECT_TRUE(found[i]["sequence"].is_string());
    EXPECT_NEAR(found[i]["score"].get<double>(), one["results"][i]["score"].get<double>(), 2e-6);
  }
  const json chosen = service.json(
      "/", {{"inputs", one["text"]}, {"parameters", {{"targets", {found[1]["token_str"]}}, {"top_k", 1}}}});
  EXPECT_EQ(chosen, json::array({found[1]}));
  const HttpResponse refused = service.post("/", R"({"inputs": "a dog", "parameters": {"top_k": 1}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find("no mask, expected"), std::string::npos) << refused.body;
}

TEST(HubApi, TextClassificationIsAListOfLists) {
  const TemporaryDirectory directory;
  write_tiny_classifier(directory, {"bad", "fine", "good"});
  TestService service({{"m", directory.path().string()}});
  const json plain = service.json("/predict", {{"inputs", "the fox"}});
  const json found = service.json("/", {{"inputs", "the fox"}, {"parameters", json::object()}});
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[0][i]["label"], plain[i]["label"]);
    EXPECT_NEAR(found[0][i]["score"].get<double>(), plain[i]["score"].get<double>(), 1e-7);
  }
  const json raw = service.json("/", {{"inputs", "the fox"}, {"parameters", {{"function_to_apply", "none"}}}});
  const json sigmoids =
      service.json("/", {{"inputs", "the fox"}, {"parameters", {{"function_to_apply", "sigmoid"}, {"top_k", 1}}}});
  ASSERT_EQ(sigmoids[0].size(), 1u);
  EXPECT_NEAR(sigmoids[0][0]["score"].get<double>(), sigmoid(raw[0][0]["score"].get<double>()), 1e-12);
  EXPECT_EQ(service.json("/", {{"inputs", "the fox"}})[0]["label"], plain[0]["label"]) << "TEI's shape";
}

TEST(HubApi, FeatureExtractionAndSimilarityAreTeis) {
  TestService service({server::NamedDirectory{"m", ""}});
  const json embedded = service.json("/embed", {{"inputs", "a text"}, {"normalize", false}, {"dimensions", 8}});
  const json body = {{"inputs", "a text"}, {"parameters", {{"normalize", false}, {"dimensions", 8}}}};
  for (const char* path : kPaths) EXPECT_EQ(service.json(path, body), embedded) << path;
  EXPECT_EQ(service.json("/models/m/pipeline/feature-extraction", body), embedded);
  const json texts = {{"inputs", {{"source_sentence", "a dog"}, {"sentences", {"a fox", "a violin"}}}},
                      {"parameters", json::object()}};
  const json similar = service.json("/similarity", texts);
  ASSERT_EQ(similar.size(), 2u);
  EXPECT_EQ(service.json("/", texts), similar);
  EXPECT_EQ(service.json("/models/m/pipeline/sentence-similarity", texts), similar);
}

TEST(HubApi, RefusesParametersOfOtherTasksByName) {
  TestService service({server::NamedDirectory{"m", ""}});
  const HttpResponse answer = service.post("/", R"({"inputs": "a", "parameters": {"aggregation_strategy": "max"}})");
  EXPECT_EQ(answer.status, 422);
  EXPECT_NE(answer.body.find("'parameters' has 'aggregation_strategy', which feature extraction does not take"),
            std::string::npos)
      << answer.body;
  const HttpResponse question = service.post("/", R"({"inputs": {"question": "a", "context": "b"}})");
  EXPECT_EQ(question.status, 424);
  EXPECT_NE(question.body.find("no model for question answering"), std::string::npos) << question.body;
  EXPECT_EQ(service.post("/models/none", R"({"inputs": "a"})").status, 404);
}

}  // namespace
}  // namespace bert::test
