// Tests the commands rerank and choose.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bert/model.h"
#include "bert/tasks.h"
#include "tests/program/cli/program.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

TEST(Rerank, TakesDocumentsFromTheLineAndKeepsThemBesideOneThatFails) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const std::string model = folder.string();
  EXPECT_EQ(
      run_program({"rerank", "--model", model, "--format", "json", "a query", "one", "two"}).json()["results"].size(),
      2u);
  EXPECT_EQ(run_program({"rerank", "--model", model, "a query"}).status, 2);
  const ProgramResult result =
      run_program({"rerank", "--model", model, "--input", "-", "--jsonl", "--format", "json", "q"},
                  {.standard_input = "{\"id\": \"a\", \"text\": \"one\"}\n{\"id\": \"b\"}\n"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("line 2"), std::string::npos) << result.err;
  ASSERT_EQ(result.json()["results"].size(), 1u);
  EXPECT_EQ(result.json()["results"][0]["id"], "a");
}

TEST(Rerank, OrdersByTheLogitWhereScoresRoundTo1) {
  const TemporaryDirectory model, shifted;
  write_tiny_classifier(model, {});
  write_tiny_classifier(shifted, {}, 40);
  const auto order = [](const TemporaryDirectory& directory) {
    const nlohmann::json found = run_program({"rerank", "--model", directory.path().string(), "--format", "json",
                                              "the fox", "the lazy dog", "quick", "i like coding", "the brown fox"})
                                     .json()["results"];
    std::vector<size_t> indexes;
    for (const nlohmann::json& one : found) indexes.push_back(one["index"]);
    return indexes;
  };
  EXPECT_EQ(order(shifted), order(model));
  EXPECT_NE(order(shifted), (std::vector<size_t>{0, 1, 2, 3})) << "the test cannot tell";
}

TEST(Rerank, OfTwoLabelsTakesTheRelevantOne) {
  const TemporaryDirectory named, unnamed;
  write_tiny_classifier(named, {"relevant", "irrelevant"});
  write_tiny_classifier(unnamed, {"LABEL_0", "LABEL_1"});
  const auto run = [](const TemporaryDirectory& directory, std::vector<std::string> more) {
    std::vector<std::string> line = {
        "rerank", "--model", directory.path().string(), "--format", "json", "the fox", "the lazy dog", "quick"};
    line.insert(line.end(), more.begin(), more.end());
    return run_program(line);
  };
  const nlohmann::json expected = run(named, {}).json();
  EXPECT_EQ(expected["activation"], "softmax");
  EXPECT_EQ(run(unnamed, {"--relevant-label", "LABEL_0"}).json()["results"], expected["results"]);
  const nlohmann::json other = run(unnamed, {"--relevant-label", "LABEL_1"}).json()["results"];
  EXPECT_EQ(other[0]["index"], expected["results"][1]["index"]);
  EXPECT_NEAR(other[0]["score"].get<double>(), 1 - expected["results"][1]["score"].get<double>(), 1e-12);
  const ProgramResult refused = run(unnamed, {});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("--relevant-label"), std::string::npos) << refused.err;
  const nlohmann::json classified = run_program({"classify", "--model", unnamed.path().string(), "--format", "json",
                                                 "the fox", "--pair", "the lazy dog"})
                                        .json()["labels"];
  const size_t first = expected["results"][0]["index"] == 0 ? 0 : 1;
  for (const nlohmann::json& label : classified) {
    if (label["label"] != "LABEL_0") continue;
    EXPECT_NEAR(label["score"].get<double>(), expected["results"][first]["score"].get<double>(), 1e-12);
  }
}

TEST(Rerank, RefusesAPromptThatTheModelDoesNotHave) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const ProgramResult result = run_program({"rerank", "--model", folder.string(), "--prompt", "query", "a", "b"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("prompt 'query' is not in"), std::string::npos) << result.err;
}

TEST(Rerank, AnEmbeddingModelRanksByItsVectors) {
  const nlohmann::json by_default =
      run_program({"rerank", "--format", "json", "a bird", "a stone", "an airplane"}).json();
  const nlohmann::json dense =
      run_program({"rerank", "--kind", "dense", "--format", "json", "a bird", "a stone", "an airplane"}).json();
  EXPECT_EQ(by_default, dense);
  EXPECT_EQ(by_default["activation"], "cosine");
}

TEST(Rerank, BlamesTheQueryOnce) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const ProgramResult result = run_program({"rerank", "--model", folder.string(), "\xFF", "one", "two"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "bert-infer: error: a QUERY: text: not valid UTF-8 at byte 0: found 0xFF\n");
}

TEST(Rerank, HasNoPositionsToChoose) {
  const ProgramResult result = run_program({"rerank", "--positions", "none", "q", "one"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("--positions"), std::string::npos) << result.err;
}

TEST(Choose, WeighsTheChoicesAgainstEachOther) {
  BERT_TEST_DATA_OR_SKIP(path, "family/bert-multiple-choice");
  const TemporaryDirectory folder;
  const std::string directory = with_vocabulary(folder, path);
  const std::vector<std::string> texts = {"a word7", "word9 b", "a", "word11 word12 a"};
  std::vector<std::string> arguments = {"choose", "--model", directory, "--format", "json", "b word8"};
  arguments.insert(arguments.end(), texts.begin(), texts.end());
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  const nlohmann::json choices = result.json()["choices"];
  ASSERT_EQ(choices.size(), texts.size());

  // The expected scores are the softmax of the logits that the library gives each pair alone. The models' tests compare
  // those logits with the reference's.
  const Model model = Model::load(directory);
  std::vector<double> weights;
  for (const std::string& text : texts) {
    const Encoding pair = model.tokenizer().tokenize("b word8", text);
    const TokenSequence sequence = model.sequence(pair);
    weights.push_back(std::exp(double{model.logits(Head::kMultipleChoice, {&sequence, 1}).front().values[0]}));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (size_t i = 0; i < choices.size(); ++i) {
    const size_t index = choices[i]["index"];
    EXPECT_NEAR(choices[i]["score"].get<double>(), weights[index] / sum, 1e-9);
    EXPECT_GE(choices[i == 0 ? 0 : i - 1]["score"], choices[i]["score"]);
  }
  EXPECT_GT(choices.front()["score"].get<double>(), choices.back()["score"].get<double>() + 0.01);
}

}  // namespace
}  // namespace bert::test
