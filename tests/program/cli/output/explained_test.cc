// Tests --explain of similarity, search, rerank and classify: its forms, and what it refuses.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/npy.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

double sum(const nlohmann::json& rows) {
  double total = 0;
  for (const nlohmann::json& row : rows) {
    for (const nlohmann::json& value : row) total += value.get<double>();
  }
  return total;
}

TEST(Explained, SimilarityHasItsTerms) {
  const std::vector<std::string> texts = {"The dogs bark.", "A dog barks loudly."};
  const std::string printed = run_program({"similarity", texts[0], texts[1]}).out;
  const nlohmann::json result = run_program({"similarity", "--explain", "--format", "json", texts[0], texts[1]}).json();
  const nlohmann::json& why = result["explanation"];
  EXPECT_EQ(why["kind"], "token pairs");
  EXPECT_EQ(why["pairs"].size(), why["first"]["tokens"].size());
  EXPECT_EQ(why["pairs"][0].size(), why["second"]["tokens"].size());
  EXPECT_EQ(why["first"]["words"], (std::vector<std::string>{"The", "dogs", "bark", "."}));
  const std::string text = run_program({"similarity", "--explain", texts[0], texts[1]}).out;
  EXPECT_EQ(text.find("The cosine is " + printed.substr(0, 8)), 0u) << text;
}

TEST(Explained, EachKindOfVectors) {
  const TemporaryDirectory folder;
  const std::vector<std::string> end = {"the dogs", "a dog"};
  const nlohmann::json sparse =
      run_program({"similarity", "--explain", "--format", "json", "--kind", "sparse", end[0], end[1]}).json();
  EXPECT_EQ(sparse["explanation"]["kind"], "entries");
  EXPECT_TRUE(sparse["explanation"]["entries"][0]["term"].is_number());
  const nlohmann::json first =
      run_program({"similarity", "--explain", "--format", "json", "--pooling", "cls", end[0], end[1]}).json();
  EXPECT_EQ(first["explanation"]["kind"], "words left out");
  EXPECT_EQ(first["explanation"]["first"]["without"].size(), 2u);
}

TEST(Explained, ArraysArePutIntoNpz) {
  const TemporaryDirectory folder;
  const std::string file = (folder.path() / "why.npz").string();
  EXPECT_EQ(run_program({"similarity", "--explain", "--output", file, "a dog", "the cat"}).status, 0);
  const std::string bytes = read_file(file);
  for (const char* name : {"score.npy", "remainder.npy", "first_tokens.npy", "pairs.npy", "group_pairs.npy"}) {
    EXPECT_NE(bytes.find(name), std::string::npos) << name;
  }
}

TEST(Explained, SearchAndRerankExplainEachResult) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "corpus", "A cat sleeps.\nDogs bark.\nRain.\n");
  const nlohmann::json found =
      run_program({"search", "--explain", "--format", "json", "--top-k", "2", "--corpus", corpus, "a dog"}).json();
  ASSERT_EQ(found["results"].size(), 2u);
  for (const nlohmann::json& result : found["results"]) {
    EXPECT_NEAR(sum(result["explanation"]["pairs"]), result["score"].get<double>(), 1e-6);
  }
  const nlohmann::json ranked =
      run_program({"rerank", "--explain", "--format", "json", "a dog", "A cat sleeps.", "Dogs bark."}).json();
  for (const nlohmann::json& result : ranked["results"]) {
    EXPECT_NEAR(sum(result["explanation"]["pairs"]), result["score"].get<double>(), 1e-6);
  }
  const std::string text = run_program({"rerank", "--explain", "a dog", "A cat sleeps.", "Dogs bark."}).out;
  EXPECT_NE(text.find("\n1: Dogs bark.\nThe cosine is "), std::string::npos) << text;
}

TEST(Explained, AClassifiersScoresWithoutEachWord) {
  BERT_TEST_DATA_OR_SKIP(model, "family/tiny-rerank");
  const nlohmann::json result =
      run_program({"rerank", "--model", model.string(), "--explain", "--format", "json", "a wing", "Birds fly."})
          .json();
  const nlohmann::json& why = result["results"][0]["explanation"];
  EXPECT_EQ(why["words"], (std::vector<std::string>{"a", "wing", "Birds", "fly", "."}));
  EXPECT_EQ(why["sequences"], (std::vector<int>{0, 0, 1, 1, 1}));
  EXPECT_EQ(why["scores"][0], result["results"][0]["score"]);
  const nlohmann::json labels =
      run_program({"classify", "--model", model.string(), "--explain", "--format", "json", "a wing"}).json();
  EXPECT_EQ(labels["explanation"]["without"].size(), 2u);
  EXPECT_EQ(labels["labels"][0]["score"], labels["explanation"]["scores"][0]);
}

TEST(Explained, RefusesWhatItDoesNotExplain) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "corpus", "a\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"similarity", "a", "b", "--html", "x.html"}, "--html is for --explain"},
      {{"similarity", "a", "b", "--format", "npz"}, "--format npz is for --explain"},
      {{"similarity", "a", "b", "c", "--explain"}, "--explain is for two TEXTs"},
      {{"similarity", "a", "b", "--explain", "--kind", "dense,sparse"}, "--explain is for one kind of vectors"},
      {{"search", "--corpus", corpus, "--queries", corpus, "--explain"}, "--explain is for one QUERY"},
      {{"rerank", "a", "b", "--svg", "x.svg"}, "--svg is for --explain"},
  };
  for (const auto& [arguments, message] : wrong) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  }
}

TEST(Explained, DrawsTextsThatFitAPage) {
  const TemporaryDirectory folder;
  const std::string page = (folder.path() / "why.html").string();
  std::string text;
  for (size_t i = 0; i < 70; ++i) text += "dog ";
  const ProgramResult result = run_program({"similarity", "--explain", "--html", page, text, "a cat"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("draws at most 64 tokens"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(page));
}

}  // namespace
}  // namespace bert::test
