#include <gtest/gtest.h>

#include "models/config/config.h"
#include "tests/models/family_check.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(ElectraFamily, "electra", "electra-pretraining", "electra-same-size", "electra-sequence")

// The expected settings are those of ElectraSequenceSummary in transformers 5.24.
TEST(ElectraConfig, ReadsWhatTheHeadForMultipleChoiceReads) {
  const auto read = [](const std::string& fields) {
    return parse_config(R"({"model_type": "electra", "architectures": ["ElectraForMultipleChoice"])" + fields + "}",
                        "config.json");
  };
  EXPECT_EQ(read("").classifier_pooling, ClassifierPooling::kFirst);
  EXPECT_EQ(read("").classifier_activation, "gelu");
  EXPECT_EQ(read(R"(, "summary_type": "mean", "summary_activation": "tanh")").classifier_pooling,
            ClassifierPooling::kMean);
  EXPECT_EQ(read(R"(, "summary_activation": "tanh")").classifier_activation, "tanh");
  EXPECT_EQ(read(R"(, "summary_activation": null)").classifier_activation, "linear");
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { read(R"(, "summary_type": "last")"); }),
            "'config.json': summary_type 'last' is not supported, expected 'first' or 'mean'");
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { read(R"(, "summary_use_proj": false)"); }),
            "'config.json': summary_use_proj false is not supported, expected true");
}

}  // namespace
}  // namespace bert
