#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "bert/quantize.h"
#include "tests/program/cli/program.h"
#include "tests/support/isa.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

class QuantizeCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    BERT_TEST_DATA_OR_SKIP(data, "family/bert-odd-1");
    model_ = with_vocabulary(folder_, data);
    result_ = (results_.path() / "small").string();
  }

  TemporaryDirectory folder_, results_;
  std::string model_, result_;
};

TEST_F(QuantizeCommandTest, WritesAModelThatVerifyPasses) {
  const ProgramResult written = run_program({"quantize", model_, result_});
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_NE(written.err.find("'" + result_ + "': weights of "), std::string::npos) << written.err;
  for (const char* isa : kKernelIsas) {
    const ProgramResult verified =
        run_program({"verify", "--model", result_, "--format", "json"}, {.environment = {{"BERT_INFER_ISA", isa}}});
    EXPECT_EQ(verified.status, 0) << verified.err;
    EXPECT_EQ(verified.json()["cases"].size(), 10u);
    EXPECT_EQ(verified.json()["limits"]["hidden_states"], 0);
  }
  const ProgramResult inspected = run_program({"inspect", "--model", result_, "--format", "json"});
  EXPECT_EQ(inspected.json()["precision"], "int8");
}

// Directories of earlier versions do not name their arithmetic. verify then accepts a small difference of bits, and no
// larger one.
TEST_F(QuantizeCommandTest, WritesAnArithmeticThatVerifyCompares) {
  ASSERT_EQ(run_program({"quantize", model_, result_}).status, 0);
  const std::filesystem::path path = std::filesystem::path(result_) / "verify.json";
  nlohmann::json golden = nlohmann::json::parse(std::ifstream(path));
  EXPECT_EQ(golden.at("arithmetic"),
            run_program({"inspect", "--model", result_, "--format", "json"}).json()["arithmetic"]);
  const auto verified_with = [&](double difference) {
    nlohmann::json changed = golden;
    for (nlohmann::json& one : changed.at("cases")) {
      nlohmann::json& number = one.at("last_hidden_state")[0][0];
      number = number.get<double>() + difference;
    }
    std::ofstream(path) << changed;
    return run_program({"verify", "--model", result_});
  };
  EXPECT_EQ(verified_with(0.01).status, 1);
  golden.erase("arithmetic");
  const ProgramResult near = verified_with(0.01);
  EXPECT_EQ(near.status, 0) << near.out;
  EXPECT_NE(near.out.find("The golden vectors are of an earlier arithmetic"), std::string::npos) << near.out;
  EXPECT_EQ(verified_with(1000).status, 1);
}

TEST_F(QuantizeCommandTest, WritesDigestsThatVerifyChecks) {
  ASSERT_EQ(run_program({"quantize", "--model", model_, "--bfloat16", result_}).status, 0);
  EXPECT_EQ(run_program({"verify", "--model", result_}).status, 0);
  const std::filesystem::path config = std::filesystem::path(result_) / "config.json";
  const std::string before = file_sha256(config);
  std::ofstream(config, std::ios::app) << ' ';
  const ProgramResult verified = run_program({"verify", "--model", result_});
  EXPECT_NE(verified.status, 0);
  EXPECT_NE(verified.err.find("SHA-256 " + file_sha256(config) + ", expected " + before + " as verify.json says"),
            std::string::npos)
      << verified.err;
}

TEST_F(QuantizeCommandTest, WritesDigestsThatInspectChecks) {
  ASSERT_EQ(run_program({"quantize", "--model", model_, result_}).status, 0);
  const ProgramResult sound = run_program({"inspect", "--check", "--digests", "--model", result_});
  const std::string weights = result_ + "/model.safetensors";
  EXPECT_EQ(sound.status, 0) << sound.err;
  EXPECT_EQ(sound.out, file_sha256(weights) + "  " + weights + "\n");

  // Changes one bit of the last weight.
  std::fstream file(weights, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(-1, std::ios::end);
  const auto last = static_cast<char>(file.get() ^ 1);
  file.seekp(-1, std::ios::end);
  file.put(last);
  file.close();
  const ProgramResult flipped = run_program({"inspect", "--check", "--model", result_});
  EXPECT_EQ(flipped.status, 1);
  EXPECT_NE(flipped.err.find("model.safetensors': SHA-256 " + file_sha256(weights) + ", expected "), std::string::npos)
      << flipped.err;
}

TEST_F(QuantizeCommandTest, WritesTablesOfEightBits) {
  const ProgramResult written = run_program({"quantize", "--model", model_, "--embeddings", "int8", result_});
  EXPECT_NE(written.err.find("transformers does not read the result: it has no 8-bit embedding tables"),
            std::string::npos);
  for (const char* isa : kKernelIsas) {
    EXPECT_EQ(run_program({"verify", "--model", result_}, {.environment = {{"BERT_INFER_ISA", isa}}}).status, 0) << isa;
  }
  EXPECT_EQ(run_program({"quantize", "--model", model_, "--embeddings", "int8", "--float16", result_ + "2"}).status, 2);
}

TEST_F(QuantizeCommandTest, NeedsAModelAndANewDirectory) {
  EXPECT_NE(
      run_program({"quantize", result_}).err.find("quantize needs a model (or --model) and the name of the directory"),
      std::string::npos);
  EXPECT_NE(
      run_program({"quantize", "--model", model_, folder_.path().string()}).err.find("expected the name of a new"),
      std::string::npos);
}

}  // namespace
}  // namespace bert::test
