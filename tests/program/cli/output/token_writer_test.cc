// embed --kind tokens and rerank with a late-interaction model.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

class TokenWriterTest : public ::testing::Test {
 protected:
  TokenWriterTest() {
    write_tiny_model(directory_);
    directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""}])");
    directory_.write("config_sentence_transformers.json",
                     R"({"model_type": "ColBERT", "query_prefix": "the", "document_prefix": "", "query_length": 8})");
  }
  ProgramResult run(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.end(), {"--model", directory_.path().string()});
    return run_program(arguments, {.standard_input = input});
  }
  TemporaryDirectory directory_;
};

TEST_F(TokenWriterTest, WritesTheTokensThatHaveVectors) {
  const nlohmann::json query = run({"embed", "--kind", "tokens", "--role", "query", "--format", "json", "fox"}).json();
  EXPECT_EQ(query["role"], "query");
  EXPECT_EQ(query["tokens"], nlohmann::json({"[CLS]", "the", "fox", "[SEP]", "[MASK]", "[MASK]", "[MASK]", "[MASK]"}));
  EXPECT_EQ(query["vectors"].size(), 8u);
  EXPECT_EQ(query["vectors"][0].size(), 24u);
  const std::vector<nlohmann::json> lines = run({"embed", "--kind", "tokens", "fox", "the fox"}).json_lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1]["tokens"], nlohmann::json({"[CLS]", "the", "fox", "[SEP]"}));
  EXPECT_EQ(lines[1]["role"], "document");
}

TEST_F(TokenWriterTest, RefusesOptionsOfTheOtherKind) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--kind", "tokens", "--pooling", "cls"},
                                             {"--kind", "tokens", "--format", "npy"},
                                             {"--kind", "tokens", "--stride", "2"},
                                             {"--role", "query"},
                                             {"--format", "npz"}}) {
    std::vector<std::string> arguments = {"embed", "fox"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 2) << wrong.back();
    EXPECT_EQ(result.out, "");
  }
  const ProgramResult dense = run({"embed", "fox"});
  EXPECT_NE(dense.err.find("late interaction"), std::string::npos) << dense.err;
}

TEST_F(TokenWriterTest, RanksByMaxSim) {
  EXPECT_EQ(run({"rerank", "--format", "json", "fox", "the fox", "dog"}).json()["activation"], "maxsim");
}

}  // namespace
}  // namespace bert::test
