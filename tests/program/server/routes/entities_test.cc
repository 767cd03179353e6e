// Tests /v1/ner, and vLLM's /pooling.
#include <gtest/gtest.h>

#include "bert/tasks.h"
#include "tests/program/server/test_service.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliner.h"

namespace bert::test {
namespace {

using nlohmann::json;

class LabelledEntities : public ::testing::TestWithParam<bool> {
 protected:
  LabelledEntities() { write_tiny_gliner(directory_, {.encodes_labels = GetParam()}); }
  TemporaryDirectory directory_;
};

TEST_P(LabelledEntities, AreOfEachText) {
  TestService service({{"names", directory_.path().string()}});
  const json answer = service.json("/v1/ner", {{"model", "names"},
                                               {"input", {"é the quick fox jumps", "", "over the lazy dog"}},
                                               {"labels", {"dog", "fox"}},
                                               {"threshold", 0.1}});
  EXPECT_EQ(answer["model"], "names");
  EXPECT_GT(answer["usage"]["total_tokens"], 0);
  ASSERT_EQ(answer["data"].size(), 3u);
  EXPECT_TRUE(answer["data"][1]["entities"].empty());
  ASSERT_FALSE(answer["data"][0]["entities"].empty());
  const json& last = answer["data"][0]["entities"].back();
  EXPECT_TRUE(last["word"].is_string());
  EXPECT_EQ(last["end"], last["code_point_end"].get<int>() + 1);
}

TEST_P(LabelledEntities, NeedLabels) {
  TestService service({{"names", directory_.path().string()}, {"built-in", ""}});
  const auto error = [&](const json& body, int status) {
    const server::HttpResponse response = service.post("/v1/ner", body.dump());
    EXPECT_EQ(response.status, status) << response.body;
    return json::parse(response.body)["error"]["message"].get<std::string>();
  };
  EXPECT_NE(error({{"input", "a"}}, 400).find("'labels'"), std::string::npos);
  EXPECT_EQ(error({{"input", "a"}, {"labels", json::array()}}, 400), "'labels' is empty, expected at least one");
  EXPECT_NE(error({{"input", "a"}, {"labels", {"b"}}, {"threshold", 2}}, 400).find("expected 0 to 1"),
            std::string::npos);
  EXPECT_NE(error({{"input", "a"}, {"labels", {""}}}, 400).find("an empty label"), std::string::npos);
  EXPECT_NE(error({{"input", "a"}, {"labels", {"b"}}, {"model", "built-in"}}, 400).find("expected tagger"),
            std::string::npos);
  const std::vector<std::string> long_labels(200, std::string(4000, 'x'));
  EXPECT_NE(error({{"input", std::vector<std::string>(100, "a")}, {"labels", long_labels}}, 413)
                .find("'labels' has 800000 bytes"),
            std::string::npos);
  EXPECT_EQ(service.post("/v1/embeddings", R"({"input": "a", "model": "names"})").status, 400);
  EXPECT_EQ(service.post("/pooling", R"({"input": "a", "model": "names"})").status, 400);
}

INSTANTIATE_TEST_SUITE_P(OneEncoderOrTwo, LabelledEntities, ::testing::Bool());

TEST(TokenClassifier, GivesItsScores) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  TestService service({{"tagger", folder.string()}});
  const std::string text = "A bird is bathing in a sink.";
  EXPECT_EQ(service.post("/v1/ner", json({{"input", text}, {"labels", {"person"}}}).dump()).status, 400);

  const json scores = service.json("/pooling", {{"input", {text, "A bird."}}, {"task", "token_classify"}});
  EXPECT_EQ(scores["object"], "list");
  ASSERT_EQ(scores["data"].size(), 2u);
  EXPECT_EQ(scores["data"][1]["object"], "pooling");
  const json raw = service.json("/pooling", {{"input", text}, {"use_activation", false}});
  const Model& model = service.model("tagger");
  const Encoding encoding = model.tokenizer().tokenize(text, {.max_length = model.max_length()});
  const TokenSequence sequence = model.sequence(encoding);
  const Logits logits = model.logits(Head::kTokenClassification, {&sequence, 1})[0];
  ASSERT_EQ(raw["data"][0]["data"].size(), logits.rows);
  EXPECT_EQ(raw["data"][0]["data"][1].get<std::vector<float>>(),
            std::vector<float>(logits.values.begin() + static_cast<std::ptrdiff_t>(logits.outputs),
                               logits.values.begin() + static_cast<std::ptrdiff_t>(2 * logits.outputs)));
  double sum = 0;
  for (const double score : scores["data"][0]["data"][2]) sum += score;
  EXPECT_NEAR(sum, 1, 1e-6);
}

TEST(TokenClassifier, LabelsEachOfTheWordsOfARequest) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  TestService service({{"tagger", folder.string()}});
  const json words = {"A", "bird", "is", "bathing", "in", "a", "sink", "."};
  const json one = service.json("/v1/ner", {{"words", words}})["data"][0];
  EXPECT_EQ(one["object"], "words");
  ASSERT_EQ(one["words"].size(), 8u);
  EXPECT_EQ(one["words"][1]["word"], "bird");
  EXPECT_EQ(one["words"][1]["label"], "I-PER");
  EXPECT_EQ(one["words"][0]["label"], "O");
  const json two = service.json("/v1/ner", {{"words", {{"a"}, words}}, {"aggregation", "average"}})["data"];
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1]["words"][1]["label"], "I-PER");
  const json tokens = service.json("/tokenize", {{"words", {"A bird", "sinks"}}, {"offsets", "utf16"}})[0];
  EXPECT_EQ(tokens[2]["word"], 0);
  EXPECT_EQ(tokens[2]["start"], 2);
  EXPECT_EQ(tokens[2]["text"], "bird");
  EXPECT_EQ(tokens[3]["word"], 1);
  EXPECT_EQ(tokens[3]["start"], 0);
  const auto refusal = [&](const std::string& path, const json& body) {
    const server::HttpResponse response = service.post(path, body.dump());
    EXPECT_EQ(response.status, path == "/tokenize" ? 422 : 400) << response.body;
    return response.body;
  };
  EXPECT_NE(refusal("/v1/ner", {{"words", words}, {"input", "a"}}).find("'words' beside 'input'"), std::string::npos);
  EXPECT_NE(refusal("/v1/ner", {{"words", json::array({json::array({"a", 3})})}}).find("words[0][1]"),
            std::string::npos);
  EXPECT_NE(refusal("/v1/ner", {{"words", words}, {"aggregation", "simple"}}).find("aggregation"), std::string::npos);
  refusal("/v1/ner", {{"words", "a bird"}});
  refusal("/tokenize", {{"words", words}, {"prompt_name", "query"}});
}

TEST(EntitiesApi, CountsPlacesInTheUnitThatIsAskedFor) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  TestService service({{"tagger", folder.string()}});
  const std::string text = "Hi 😀 a bird is bathing in a sink";
  EXPECT_EQ(service.json("/v1/ner", {{"input", text}})["data"][0]["offsets"], "bytes");
  const json utf16 = service.json("/v1/ner", {{"input", text}, {"offsets", "utf16"}})["data"][0];
  EXPECT_EQ(utf16["offsets"], "utf16");
  EXPECT_FALSE(utf16["entities"].at(0).contains("code_point_start"));
  EXPECT_EQ(service.post("/v1/ner", R"({"input": "a", "offsets": "words"})").status, 400);
  const json tokens = service.json("/tokenize", {{"inputs", "😀 a"}, {"offsets", "utf16"}})[0];
  EXPECT_EQ(tokens[2]["start"], 3);
}

}  // namespace
}  // namespace bert::test
