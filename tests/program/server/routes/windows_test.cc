// Tests long texts over HTTP.
#include "program/server/routes/windows.h"

#include <gtest/gtest.h>

#include "tests/program/server/test_service.h"
#include "tests/support/firing_models.h"
#include "tests/support/tiny_model.h"

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
    write_tiny_classifier(reranker_, {});
  }
  TestService service() const {
    return TestService({{"gliner", gliner_.path().string()},
                        {"tagger", tagger_.path().string()},
                        {"reranker", reranker_.path().string()}});
  }

  TemporaryDirectory gliner_, tagger_, reranker_;
  const std::string text_ = text_with_foxes(1000, places());
};

TEST_F(Windows, AreOfEachTextOfARequest) {
  TestService service = this->service();
  const json found = service.json(
      "/v1/ner", {{"model", "gliner"}, {"input", {text_, "the brown fox"}}, {"labels", {"coding"}}, {"stride", 8}});
  ASSERT_EQ(found["data"].size(), 2u);
  EXPECT_EQ(found["data"][0]["entities"].size(), places().size());
  EXPECT_EQ(found["data"][1]["entities"].size(), 1u);
  EXPECT_EQ(found["compute"]["truncated_tokens"], 0);
  const json hub = service.json("/models/tagger",
                                {{"inputs", text_}, {"parameters", {{"stride", 5}, {"aggregation_strategy", "none"}}}});
  ASSERT_GT(hub.size(), 2 * places().size());
  EXPECT_EQ(hub[0]["entity"], "B-ANIMAL");
  const json ranked = {
      {"model", "reranker"}, {"query", "the lazy dog"}, {"documents", {"a fox", text_}}, {"stride", 4}};
  const json best = service.json("/v2/rerank", ranked)["results"][0];
  EXPECT_EQ(best["relevance_score"], service.json("/v1/rerank", ranked)["results"][0]["relevance_score"]);
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
  // The limit of 262,144 bytes applies to texts of several windows. This text is one word that no window has room for.
  EXPECT_EQ(service.post("/v1/ner", json({{"model", "tagger"}, {"input", std::string(262145, 'a')}}).dump()).status,
            200);
  EXPECT_EQ(error({{"model", "tagger"}, {"input", "a"}, {"long_text", "cut"}, {"stride", 2}}, 400),
            "'stride' is for 'long_text' windows, found cut");
  EXPECT_EQ(error({{"model", "tagger"}, {"input", "a"}, {"long_text", "cut"}, {"truncate", true}}, 400),
            "'truncate' beside 'long_text', expected one of them");
  EXPECT_NE(error({{"model", "tagger"}, {"input", text_}, {"truncate", false}}, 400), "");
  EXPECT_EQ(error({{"model", "tagger"}, {"input", "a"}, {"stride", -1}}, 400),
            "'stride' is -1, expected a whole number");
  EXPECT_NE(error({{"model", "tagger"}, {"input", text_}, {"stride", 22}}, 400).find("expected more than the stride"),
            std::string::npos);
  EXPECT_EQ(error({{"model", "tagger"}, {"input", {text_, "a fox"}}, {"stride", 22}}, 400).find("text 0: "), 0u);
  const server::HttpResponse ranked =
      service.post("/v1/rerank",
                   json({{"model", "reranker"}, {"query", "fox"}, {"documents", {text_, "a"}}, {"stride", 22}}).dump());
  EXPECT_NE(ranked.body.find("the stride"), std::string::npos) << ranked.body;
  EXPECT_NE(error({{"model", "gliner"}, {"input", text_}, {"labels", {"dog"}}, {"stride", 40}}, 400)
                .find("expected at most half of that"),
            std::string::npos);
  EXPECT_EQ(error({{"model", "tagger"}, {"words", {"a"}}, {"stride", 2}}, 400), "windows of 'words', expected 'input'");
}

}  // namespace
}  // namespace bert::test
