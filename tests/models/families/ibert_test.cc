#include <gtest/gtest.h>

#include "tests/models/config_of.h"
#include "tests/models/family_check.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(IbertFamily, IsRobertaWithNumbersBesideItsWeights) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/roberta");
  test::check_same_model(folder, [](test::FamilyFiles& files) {
    const std::string query = "encoder.layer.0.attention.self.query.";
    for (const char* unused : {"weight_integer", "bias_integer", "fc_scaling_factor"}) {
      files.tensors.push_back(test::floats(query + unused, {2}));
    }
    files.tensors.push_back(test::floats("encoder.layer.0.pre_output_act.x_min", {1}));
    for (test::TestTensor& tensor : files.tensors) tensor.name = "ibert." + tensor.name;
    files.config["model_type"] = "ibert";
    files.config["architectures"] = {"IBertModel"};
    files.config["quant_mode"] = false;
  });
}

TEST(IbertFamily, RefusesIntegers) {
  EXPECT_EQ(
      test::error_of(ErrorCode::kUnsupported, [] { test::config_of(R"("model_type": "ibert", "quant_mode": true)"); }),
      "'config.json': quant_mode true is not supported, expected false");
}

}  // namespace
}  // namespace bert
