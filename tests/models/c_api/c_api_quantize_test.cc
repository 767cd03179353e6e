// bert/bert_quantize.h: the directories of bert/quantize.h.
#include <gtest/gtest.h>

#include <string>

#include "bert/bert_quantize.h"
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

}  // namespace
}  // namespace bert
