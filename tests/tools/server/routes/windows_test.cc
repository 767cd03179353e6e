// Long texts over HTTP: the library's results for the same windows.
#include "tools/server/routes/windows.h"

#include <gtest/gtest.h>

#include "bert/text_tasks.h"
#include "tests/support/firing_models.h"
#include "tests/support/tiny_model.h"
#include "tests/tools/server/test_service.h"

namespace bert::test {
namespace {

using nlohmann::json;

std::vector<size_t> places() {
  std::vector<size_t> all;
  for (size_t place = 0; place < 990; place += 11) all.push_back(place);
  return all;
}

class Windows : public ::testing::Test {
 protected:
  Windows() {
    write_firing_gliner(gliner_);
    write_firing_tagger(tagger_, {{"brown", "B-ANIMAL"}, {"fox", "E-ANIMAL"}, {"dog", "S-PET"}});
    write_tiny_classifier(classifier_, {"contradiction", "neutral", "entailment"});
    write_tiny_classifier(reranker_, {});
    write_tiny_model(embedder_);
  }
  TestService service() const {
    return TestService({{"gliner", gliner_.path().string()},
                        {"tagger", tagger_.path().string()},
                        {"classifier", classifier_.path().string()},
                        {"reranker", reranker_.path().string()},
                        {"embedder", embedder_.path().string()}});
  }

  TemporaryDirectory gliner_, tagger_, classifier_, reranker_, embedder_;
  const std::string text_ = text_with_foxes(1000, places());
};

void expect_entities(const json& found, const std::vector<Entity>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i]["entity"], expected[i].entity);
    EXPECT_EQ(found[i]["word"], expected[i].word);
    EXPECT_EQ(found[i]["start"], expected[i].start);
    EXPECT_EQ(found[i]["code_point_end"], expected[i].code_point_end);
    EXPECT_EQ(found[i]["score"].get<double>(), expected[i].score);
  }
}

TEST_F(Windows, FindTheLibrarysEntities) {
  TestService service = this->service();
  const json labelled = service.json(
      "/v1/ner", {{"model", "gliner"}, {"input", {text_, "the brown fox"}}, {"labels", {"coding"}}, {"stride", 8}});
  const LabelRequest request{.labels = {"coding"}};
  const std::vector<Entity> expected = find_entities(service.model("gliner"), text_, request, {.stride = 8});
  EXPECT_EQ(expected.size(), places().size());
  ASSERT_EQ(labelled["data"].size(), 2u);
  expect_entities(labelled["data"][0]["entities"], expected);
  EXPECT_EQ(labelled["data"][1]["entities"].size(), 1u);
  EXPECT_EQ(labelled["compute"]["truncated_tokens"], 0);

  const json tagged = service.json("/v1/ner", {{"model", "tagger"}, {"input", text_}, {"stride", 5}});
  const std::vector<Entity> own = tag(service.model("tagger"), text_, {.stride = 5});
  EXPECT_GT(own.size(), places().size());
  expect_entities(tagged["data"][0]["entities"], own);
  const json hub = service.json("/models/tagger",
                                {{"inputs", text_}, {"parameters", {{"stride", 5}, {"aggregation_strategy", "none"}}}});
  ASSERT_GT(hub.size(), 2 * places().size());
  EXPECT_EQ(hub[0]["entity"], "B-ANIMAL");
}

TEST_F(Windows, ScoreTheLibrarysLabels) {
  TestService service = this->service();
  for (const WindowScores how : {WindowScores::kMean, WindowScores::kLargest}) {
    const char* word = how == WindowScores::kMean ? "mean" : "largest";
    const json found = service.json(
        "/v1/classify", {{"model", "classifier"}, {"input", text_}, {"stride", 5}, {"window_scores", word}});
    const std::vector<LabelScore> expected =
        classify(service.model("classifier"), text_, {}, {.stride = 5, .scores = how});
    ASSERT_EQ(found["data"][0]["labels"].size(), expected.size());
    const json zero = service.json("/models/classifier", {{"inputs", text_},
                                                          {"parameters",
                                                           {{"candidate_labels", {"dog", "quick brown fox"}},
                                                            {"hypothesis_template", "do {}"},
                                                            {"stride", 3},
                                                            {"window_scores", word}}}});
    const std::vector<std::string> labels = {"dog", "quick brown fox"};
    const std::vector<LabelScore> by_hypotheses =
        zero_shot(service.model("classifier"), text_, labels,
                  {.hypothesis_template = "do {}", .windows = {.stride = 3, .scores = how}});
    ASSERT_EQ(zero.size(), 2u);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(found["data"][0]["labels"][i]["label"], expected[i].label);
      EXPECT_EQ(found["data"][0]["labels"][i]["score"].get<double>(), expected[i].score);
      if (i == 2) continue;
      EXPECT_EQ(zero[i]["label"], by_hypotheses[i].label);
      EXPECT_EQ(zero[i]["score"].get<double>(), by_hypotheses[i].score);
    }
  }
}

TEST_F(Windows, RankByTheBestWindow) {
  TestService service = this->service();
  const std::vector<std::string> documents = {"the dog", text_, "a fox"};
  const std::vector<std::string_view> views(documents.begin(), documents.end());
  for (const char* name : {"reranker", "embedder"}) {
    const Model& model = service.model(name);
    const auto expected = rerank(model, Reranker(model), "the lazy dog", views, {.stride = 4});
    for (const char* route : {"/v1/rerank", "/v2/rerank"}) {
      const json found =
          service.json(route, {{"model", name}, {"query", "the lazy dog"}, {"documents", documents}, {"stride", 4}});
      ASSERT_EQ(found["results"].size(), 3u) << route;
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(found["results"][i]["index"], expected[i].index);
        EXPECT_NEAR(found["results"][i]["relevance_score"].get<double>(), expected[i].score, 1e-7);
      }
    }
  }
}

TEST_F(Windows, RefuseWhatIsTooLongAndWrongStrides) {
  TestService service = this->service();
  const auto error = [&](const json& body, int status) {
    const server::HttpResponse response = service.post("/v1/ner", body.dump());
    EXPECT_EQ(response.status, status) << response.body;
    return json::parse(response.body)["error"]["message"].get<std::string>();
  };
  std::string words;
  while (words.size() <= 262144) words += "a fox ";
  EXPECT_NE(error({{"model", "tagger"}, {"input", words}, {"stride", 2}}, 400).find("expected at most 1024"),
            std::string::npos);
  // 262,144 bytes are for texts with several windows, of which no word is one.
  EXPECT_EQ(service.post("/v1/ner", json({{"model", "tagger"}, {"input", std::string(262145, 'a')}}).dump()).status,
            200);
  EXPECT_EQ(error({{"model", "tagger"}, {"input", "a"}, {"long_text", "cut"}, {"stride", 2}}, 400),
            "'stride' is for 'long_text' windows, found cut");
  EXPECT_EQ(error({{"model", "tagger"}, {"input", "a"}, {"long_text", "cut"}, {"truncate", true}}, 400),
            "'truncate' beside 'long_text', expected one of them");
  EXPECT_NE(error({{"model", "tagger"}, {"input", text_}, {"truncate", false}}, 400), "");
  EXPECT_EQ(error({{"model", "tagger"}, {"input", "a"}, {"stride", -1}}, 400),
            "'stride' is a number, expected a whole number of tokens");
  EXPECT_NE(error({{"model", "tagger"}, {"input", text_}, {"stride", 22}}, 400).find("expected more than the stride"),
            std::string::npos);
  EXPECT_NE(error({{"model", "gliner"}, {"input", text_}, {"labels", {"dog"}}, {"stride", 40}}, 400)
                .find("expected at most half of that"),
            std::string::npos);
  EXPECT_EQ(error({{"model", "tagger"}, {"words", {"a"}}, {"stride", 2}}, 400), "windows of 'words', expected 'input'");
}

}  // namespace
}  // namespace bert::test
