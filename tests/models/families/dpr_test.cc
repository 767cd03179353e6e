#include <gtest/gtest.h>

#include "tests/models/config_of.h"
#include "tests/models/family_check.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(DprFamily, IsBertBehindItsOwnNames) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-odd-1");
  for (const char* prefix :
       {"question_encoder.bert_model.", "ctx_encoder.bert_model.", "span_predictor.encoder.bert_model."}) {
    test::check_same_model(folder, [&](test::FamilyFiles& files) {
      for (test::TestTensor& tensor : files.tensors) tensor.name = prefix + tensor.name;
      files.config["model_type"] = "dpr";
      files.config["architectures"] = {"DPRQuestionEncoder"};
    });
  }
}

TEST(DprFamily, RefusesAProjection) {
  EXPECT_EQ(
      test::error_of(ErrorCode::kUnsupported, [] { test::config_of(R"("model_type": "dpr", "projection_dim": 64)"); }),
      "'config.json': projection_dim 64 is not supported, expected 0");
}

}  // namespace
}  // namespace bert
