// Tests the routes for tokens, ids and information about the server, and Vertex AI's route.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/program/server/test_service.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using nlohmann::json;

TEST(TeiTexts, TokenizesWithOffsetsInBytes) {
  BERT_MINILM_OR_SKIP(folder);
  TestService service({{"minilm", folder.string()}});
  const json tokens = service.json("/tokenize", {{"inputs", "hello worlds"}});
  const auto token = [](int id, const char* text, bool special, json start, json stop) {
    return json{
        {"id", id}, {"text", text}, {"special", special}, {"start", std::move(start)}, {"stop", std::move(stop)}};
  };
  const json expected = {{token(101, "[CLS]", true, nullptr, nullptr), token(7592, "hello", false, 0, 5),
                          token(8484, "worlds", false, 6, 12), token(102, "[SEP]", true, nullptr, nullptr)}};
  EXPECT_EQ(tokens, expected);
  EXPECT_EQ(service.json("/tokenize", {{"inputs", {"hello"}}, {"add_special_tokens", false}})[0].size(), 1u);
  EXPECT_EQ(service.json("/decode", {{"ids", {101, 7592, 8484, 102}}}), json({"hello worlds"}));
  EXPECT_EQ(service.json("/decode", {{"ids", {{101, 7592}, {8484}}}, {"skip_special_tokens", false}}),
            json({"[CLS] hello", "worlds"}));
  EXPECT_NE(service.post("/decode", R"({"ids": [101, -1]})").body.find("'ids[1]' is -1, expected a token id"),
            std::string::npos);
  std::string many;
  for (int i = 0; i < 300; ++i) many += "a ";
  EXPECT_EQ(service.json("/tokenize", {{"inputs", many}})[0].size(), 302u);
}

TEST(TeiTexts, TellsItsLimits) {
  server::ServiceOptions options;
  options.api.max_texts = 7;
  options.queue.max_texts = 70;
  TestService service({{"built-in", ""}}, options);
  const json info = json::parse(service.get("/info").body);
  EXPECT_EQ(info["model_id"], "built-in");
  EXPECT_EQ(info["model_type"]["embedding"]["pooling"], "mean");
  EXPECT_EQ(info["max_client_batch_size"], 7);
  EXPECT_EQ(info["max_concurrent_requests"], 70);
  EXPECT_EQ(info["max_input_length"], service.model().max_length());
  EXPECT_EQ(service.post("/embed", R"({"inputs": ["1","2","3","4","5","6","7","8"]})").status, 422);
}

TEST(TeiTexts, TellsThatThePoolingIsNotTheModelsOwnWord) {
  const TemporaryDirectory directory;
  write_tiny_model(directory);
  TestService service({{"tiny", directory.path().string()}});
  const json guessed = json::parse(service.get("/info").body)["model_type"]["embedding"];
  EXPECT_EQ(guessed["pooling"], "mean");
  EXPECT_EQ(guessed["pooling_note"],
            "the model has no modules.json, so its files do not say how to pool: mean over all tokens, not normalised");
  TestService declared;
  EXPECT_FALSE(json::parse(declared.get("/info").body)["model_type"]["embedding"].contains("pooling_note"));
}

TEST(TeiTexts, AnswersInstancesOfVertex) {
  TestService service;
  const json answer = service.json("/vertex", {{"instances", {{{"inputs", "a"}}, {{"inputs", {"b", "c"}}}}}});
  EXPECT_EQ(answer["predictions"][0], service.json("/embed", {{"inputs", "a"}}));
  EXPECT_EQ(answer["predictions"][1], service.json("/embed", {{"inputs", {"b", "c"}}}));
  EXPECT_EQ(service.post("/vertex", R"({"instances": [{"inputs": "a"}, {"inputs": "b", "normalize": false}]})").status,
            422);
  EXPECT_EQ(service.post("/vertex", R"({"instances": []})").status, 400);
}

TEST(TeiTexts, AnswersInstancesOfTasks) {
  const TemporaryDirectory classifier, words;
  write_tiny_classifier(classifier, {"contradiction", "neutral", "entailment"});
  write_tiny_splade(words, "{}");
  TestService service({{"classifier", classifier.path().string()}, {"words", words.path().string()}});
  std::string text = "the quick fox";
  for (int i = 0; i < 20; ++i) text += " jumps over a dog";
  const std::vector<std::pair<std::string, json>> tasks = {
      {"classifier", {{"inputs", text}, {"parameters", {{"candidate_labels", {"fox", "lazy dog"}}, {"stride", 3}}}}},
      {"words", {{"inputs", "the [MASK] fox"}, {"parameters", {{"top_k", 2}}}}}};
  for (const auto& [model, task] : tasks) {
    const json expected = service.json("/models/" + model, task);
    ASSERT_EQ(expected.size(), 2u);
    const json answer = service.json("/models/" + model + "/vertex", {{"instances", {task, task}}});
    EXPECT_EQ(answer["predictions"], json({expected, expected}));
  }
}

// The body has a member that no instance needs: 2,048 copies of it would take minutes.
TEST(TeiTexts, ReadsInstancesWithoutCopyingTheBodyForEach) {
  TestService service;
  std::string body = R"({"more": [0)";
  for (int i = 0; i < 500'000; ++i) body += ",0";
  body += R"(], "instances": [{"inputs": "a"})";
  for (int i = 0; i < 2046; ++i) body += R"(,{"inputs": "a"})";
  const auto begin = std::chrono::steady_clock::now();
  const server::HttpResponse other = service.post("/vertex", body + R"(,{"inputs": "a", "normalize": false}]})");
  EXPECT_EQ(other.status, 422);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  const server::HttpResponse many = service.post("/vertex", body + R"(,{}, {"inputs": "a"}]})");
  EXPECT_EQ(json::parse(many.body)["error"], "'instances' has 2049 texts, expected at most 2048");
  body = R"({"instances": [{"inputs": ["a", "b", "c"]})";
  for (int i = 0; i < 1023; ++i) body += R"(,{"inputs": ["a", "b", "c"]})";
  EXPECT_EQ(json::parse(service.post("/vertex", body + "]}").body)["error"],
            "'instances' has 2049 texts, expected at most 2048");
}

}  // namespace
}  // namespace bert::test
