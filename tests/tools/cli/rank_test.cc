// The commands rerank and choose.
#include <gtest/gtest.h>

#include "tests/support/test_data.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

TEST(Rerank, OrdersDocumentsAsTheReference) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const nlohmann::json golden = nlohmann::json::parse(read_file(folder / "golden.json"))["cases"][0];
  std::string documents;
  for (const nlohmann::json& document : golden["documents"]) documents += document["text"].get<std::string>() + "\n";
  const ProgramResult result = run_program(
      {"rerank", "--model", folder.string(), "--input", "-", "--format", "json", golden["query"].get<std::string>()},
      {.standard_input = documents});
  EXPECT_EQ(result.status, 0) << result.err;
  const nlohmann::json results = result.json()["results"];
  ASSERT_EQ(results.size(), golden["order"].size());
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i]["index"], golden["order"][i]);
    const size_t index = golden["order"][i];
    EXPECT_NEAR(results[i]["score"].get<double>(), golden["documents"][index]["score"].get<double>(), 1e-5);
  }
}

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

TEST(Rerank, RefusesAClassifierOfSeveralLabels) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  EXPECT_EQ(run_program({"rerank", "--model", folder.string(), "a", "b"}).status, 1);
}

TEST(Rerank, SaysThatPositionsWereSwapped) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const std::vector<std::string> arguments = {"rerank", "--model", folder.string(), "--format", "json", "q", "one"};
  EXPECT_FALSE(run_program(arguments).json().contains("positions"));
  std::vector<std::string> swapped = arguments;
  swapped.insert(swapped.begin() + 1, {"--positions", "none"});
  EXPECT_EQ(run_program(swapped).json()["positions"], "none");
}

TEST(Choose, WeighsTheChoicesAgainstEachOther) {
  BERT_TEST_DATA_OR_SKIP(path, "family/bert-multiple-choice");
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(
      {"choose", "--model", with_vocabulary(folder, path), "--format", "json", "a text", "one", "two", "three"});
  EXPECT_EQ(result.status, 0) << result.err;
  const nlohmann::json choices = result.json()["choices"];
  ASSERT_EQ(choices.size(), 3u);
  double sum = 0;
  for (const nlohmann::json& choice : choices) sum += choice["score"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-12);
}

}  // namespace
}  // namespace bert::test
