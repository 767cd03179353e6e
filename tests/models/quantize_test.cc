#include "bert/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

class QuantizeTest : public test::TinyModelTest {
 protected:
  std::string source() const { return directory_.path().string(); }
  std::filesystem::path result(const char* name) const { return results_.path() / name; }

  test::TemporaryDirectory results_;
};

constexpr std::string_view kText = "the quick brown fox jumps over the lazy dog";

TEST_F(QuantizeTest, WritesAModelWithTheBitsOfTheOneQuantizedAtLoad) {
  write_tiny_model(directory_);
  directory_.write("notes.bin", "not a part of a model");
  const QuantizedModel written = quantize(source() + "/", result("int8"), SmallWeights::kInt8);
  EXPECT_EQ(written.not_copied, std::vector<std::string>{"notes.bin"});
  EXPECT_LT(written.bytes, written.source_bytes);
  const Model model = Model::load(result("int8").string());
  EXPECT_EQ(model.describe().precision, "int8");
  const EncodedText expected = Model::load(source(), {.precision = Precision::kInt8}).encode(kText);
  EXPECT_TRUE(test::same_bits(model.encode(kText).last_hidden_state, expected.last_hidden_state));
  EXPECT_TRUE(test::same_bits(model.encode(kText).pooler_output, expected.pooler_output));
}

TEST_F(QuantizeTest, WritesSixteenBits) {
  write_tiny_model(directory_);
  const EncodedText exact = Model::load(source()).encode(kText);
  quantize(source(), result("f16"), SmallWeights::kFloat16);
  quantize(source(), result("bf16"), SmallWeights::kBFloat16);
  const Model f16 = Model::load(result("f16").string()), bf16 = Model::load(result("bf16").string());
  EXPECT_EQ(f16.describe().precision, "float16");
  EXPECT_EQ(bf16.describe().precision, "bfloat16");
  EXPECT_TRUE(test::within(0.01, f16.encode(kText).last_hidden_state, exact.last_hidden_state));
  EXPECT_TRUE(test::within(0.08, bf16.encode(kText).last_hidden_state, exact.last_hidden_state));
}

TEST_F(QuantizeTest, RefusesWhatItCannotWrite) {
  write_tiny_model(directory_, {}, [](test::TinyTensors& tensors) {
    tensors.at("encoder.layer.0.output.dense.weight").values[3] = 70000;
  });
  EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { quantize(source(), result("f16"), SmallWeights::kFloat16); })
                .find("70000.000000 at index 3, expected what a 16-bit float can hold"),
            std::string::npos);
  quantize(source(), result("int8"), SmallWeights::kInt8);
  EXPECT_NE(
      test::error_of(ErrorCode::kInvalidArgument, [&] { quantize(source(), result("int8"), SmallWeights::kInt8); })
          .find("exists, expected the name of a new directory"),
      std::string::npos);
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported,
                           [&] { quantize(result("int8").string(), result("again"), SmallWeights::kInt8); })
                .find("its weights are 8-bit already"),
            std::string::npos);
}

TEST(FileSha256, IsThatOfItsBytes) {
  const test::TemporaryDirectory directory;
  directory.write("abc", "abc");
  EXPECT_EQ(file_sha256(directory.path() / "abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace bert
