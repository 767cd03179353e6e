// The formats of embed that embed_test.cc, npy_test.cc and vector_file_test.cc leave: what float16 cannot hold.
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

}  // namespace
}  // namespace bert::test
