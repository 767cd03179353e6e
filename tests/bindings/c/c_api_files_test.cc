// Checks that bert/bert_files.h writes the same directories and returns the same digests as bert/quantize.h.
#include <gtest/gtest.h>

#include <string>

#include "bert/bert_files.h"
#include "bert/model.h"
#include "bert/quantize.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

TEST(CApiQuantize, WritesTheLibrarysWeights) {
  const test::TemporaryDirectory source, results;
  test::write_tiny_model(source);
  for (int32_t weights = 0; weights < 4; ++weights) {
    const std::string c = (results.path() / ("c" + std::to_string(weights))).string();
    const std::string cpp = (results.path() / ("cpp" + std::to_string(weights))).string();
    ASSERT_EQ(bert_quantize(source.path().c_str(), c.c_str(), weights, nullptr), BERT_OK) << bert_error_message();
    quantize(source.path().string(), cpp, static_cast<SmallWeights>(weights));
    EXPECT_EQ(file_sha256(c + "/model.safetensors"), file_sha256(cpp + "/model.safetensors")) << weights;
    EXPECT_EQ(bert_quantize(source.path().c_str(), c.c_str(), weights, nullptr), BERT_INVALID_ARGUMENT);
    EXPECT_NE(std::string(bert_error_message()).find(c), std::string::npos) << bert_error_message();
  }
  EXPECT_EQ(bert_quantize(source.path().c_str(), "x", 4, nullptr), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_quantize(nullptr, "x", 0, nullptr), BERT_INVALID_ARGUMENT);
}

TEST(CApiDigest, IsOfEveryFileThatDecidesTheNumbers) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  const auto digest = [&] {
    char found[65] = "";
    EXPECT_EQ(bert_model_digest(directory.path().c_str(), nullptr, found), BERT_OK) << bert_error_message();
    return std::string(found);
  };
  const std::string before = digest();
  EXPECT_EQ(before, model_digest(directory.path().string()));
  EXPECT_EQ(before.size(), 64u);
  directory.write("README.md", "no numbers");
  EXPECT_EQ(digest(), before);
  directory.write("1_Pooling/config.json", "{}");
  const std::string after = digest();
  EXPECT_NE(after, before);
  char found[65];
  EXPECT_EQ(bert_model_digest("/no/such/model", nullptr, found), BERT_NOT_FOUND);
  EXPECT_EQ(bert_model_digest(nullptr, nullptr, nullptr), BERT_INVALID_ARGUMENT);
  ASSERT_EQ(bert_model_digest(nullptr, nullptr, found), BERT_OK);
  EXPECT_NE(found, before);
}

}  // namespace
}  // namespace bert
