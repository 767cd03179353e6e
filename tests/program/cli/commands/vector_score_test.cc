// Tests embed, similarity and rerank with several kinds of vectors.
#include "program/cli/commands/vector_score.h"

#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

class VectorScoreTest : public ::testing::Test {
 protected:
  VectorScoreTest() { write_tiny_m3(directory_); }
  ProgramResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--model", directory_.path().string()});
    return run_program(arguments);
  }
  double similarity(const std::vector<std::string>& options) const {
    std::vector<std::string> arguments = {"similarity", "--format", "json", "the fox", "fox dog"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run(arguments).json()["similarity"];
  }
  TemporaryDirectory directory_;
};

TEST_F(VectorScoreTest, EmbedsTheKindsInTheirOrder) {
  const ProgramResult result = run({"embed", "--kind", "sparse,dense,tokens", "the fox"});
  EXPECT_EQ(result.status, 0) << result.err;
  const nlohmann::json all = result.json_lines().at(0);
  EXPECT_EQ(all["embedding"], run({"embed", "--format", "json", "the fox"}).json()["embedding"]);
  EXPECT_EQ(all["sparse"], run({"embed", "--kind", "sparse", "--format", "json", "the fox"}).json()["sparse"]);
  const nlohmann::json tokens = run({"embed", "--kind", "tokens", "--format", "json", "the fox"}).json();
  EXPECT_EQ(all["vectors"], tokens["vectors"]);
  EXPECT_EQ(all["tokens"], nlohmann::json({"the", "fox", "[SEP]"}));
  EXPECT_LT(result.out.find("\"sparse\""), result.out.find("\"embedding\""));
}

TEST_F(VectorScoreTest, ScoresByTheWeightsOfTheKinds) {
  const double dense = similarity({"--kind", "dense"}), sparse = similarity({"--kind", "sparse"}),
               tokens = similarity({"--kind", "tokens"});
  EXPECT_NEAR(similarity({"--kind", "tokens,dense", "--weights", "3,1"}), (3 * tokens + dense) / 4, 1e-9);
  const nlohmann::json ranked = run({"rerank", "--kind", "tokens,dense", "--weights", "3,1", "--format", "json",
                                     "the fox", "dog", "fox dog", "the fox"})
                                    .json();
  EXPECT_EQ(ranked["activation"], "hybrid");
  ASSERT_EQ(ranked["results"].size(), 3u);
  EXPECT_EQ(run({"rerank", "--format", "json", "the fox", "dog"}).json()["activation"], "meanmaxsim");
  EXPECT_EQ(run({"rerank", "--kind", "dense", "--format", "json", "the fox", "dog"}).json()["activation"], "cosine");
  const nlohmann::json matrix =
      run({"similarity", "--kind", "dense,sparse", "--format", "jsonl", "the fox", "fox dog", "dog"}).json_lines()[0];
  EXPECT_NEAR(matrix["similarities"][1], (dense + sparse) / 2, 1e-9);
  EXPECT_EQ(matrix["function"], "hybrid");
}

TEST_F(VectorScoreTest, RefusesWhatDoesNotFit) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"embed", "--kind", "dense,dense", "a"}, "expected one or more of dense, sparse, tokens, each once"},
           {{"embed", "--kind", "dense,", "a"}, "'dense,': expected one or more of"},
           {{"embed", "--kind", "dense,sparse", "--format", "npy", "a"}, "several kinds, which have json and jsonl"},
           {{"embed", "--kind", "dense,tokens", "--role", "query", "a"}, "--role is for --kind tokens alone"},
           {{"similarity", "--kind", "dense,sparse", "--weights", "1", "a", "b"}, "--weights has 1 numbers"},
           {{"similarity", "--kind", "dense,sparse", "--weights", "1,x", "a", "b"}, "expected numbers from 0"},
           {{"similarity", "--kind", "dense,sparse", "--weights", "0,0", "a", "b"}, "--weights are all 0"},
           {{"rerank", "--kind", "sparse", "--pooling", "cls", "a", "b"}, "--pooling is for dense vectors"}}) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 2) << words;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace bert::test
