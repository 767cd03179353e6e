// Tests the writers of embed: numbers that float16 cannot hold, and token vectors. embed_test.cc, npy_test.cc and
// vector_file_test.cc test the other formats.
#include "program/cli/output/embed_writer.h"

#include <gtest/gtest.h>
#include <algorithm>

#include "tests/program/cli/program.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

TEST(EmbedWriter, FailsATextWhoseNumbersFloat16CannotHold) {
  const TemporaryDirectory folder;
  write_tiny_model(folder, {}, [](TinyTensors& tensors) {
    auto& bias = tensors.at("encoder.layer.1.output.LayerNorm.bias").values;
    std::fill(bias.begin(), bias.end(), 70000.0F);
    auto& weight = tensors.at("encoder.layer.1.output.LayerNorm.weight").values;
    std::fill(weight.begin(), weight.end(), 0.0F);
  });
  const std::vector<std::string> arguments = {"embed", "--model", folder.path().string(), "--format", "npy", "the"};
  EXPECT_EQ(run_program(arguments).status, 0);
  std::vector<std::string> small = arguments;
  small.insert(small.end() - 1, {"--output-type", "float16"});
  const ProgramResult result = run_program(small);
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("text 1: number 0 of the vector is 70000, expected at most 65504 for float16"),
            std::string::npos)
      << result.err;
  std::string nan_row;
  for (int i = 0; i < 24; ++i) nan_row += std::string("\0\x7e", 2);
  EXPECT_EQ(result.out.substr(128), nan_row);
}

TEST(EmbedWriter, RefusesFloat16InText) {
  const ProgramResult result = run_program({"embed", "--format", "jsonl", "--output-type", "float16", "a dog"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err,
            "bert-infer: error: --output-type float16 is for --format npy and safetensors; found 'jsonl'\n");
}

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
