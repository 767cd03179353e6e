// Checks that the terms of a text's vector sum to the modules' vector.
#include <gtest/gtest.h>

#include <vector>

#include "models/model/model_impl.h"
#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

class ModuleTermsTest : public test::TinyModelTest {};

TEST_F(ModuleTermsTest, SumToTheVector) {
  const Model model = load();
  const ModuleChain& modules = ModelAccess::impl(model).sentence.modules;
  const std::vector<int32_t> a = {2, 5, 8, 3}, b = {2, 12, 3};
  const std::vector<TokenSequence> batch = {{.ids = a}, {.ids = b}};
  for (const PoolingMode mode : {PoolingMode::kMean, PoolingMode::kMeanSqrtLength, PoolingMode::kWeightedMean}) {
    ForwardPass pass = ModelAccess::forward_pass(model, batch);
    pass.run();
    const Matrix vectors = modules.forward(pass, mode);
    const std::vector<Matrix> terms = modules.terms(pass, mode);
    ASSERT_EQ(terms.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      ASSERT_EQ(terms[i].rows(), batch[i].ids.size() + 1);
      for (size_t c = 0; c < vectors.cols(); ++c) {
        double sum = 0;
        for (size_t row = 0; row < terms[i].rows(); ++row) sum += static_cast<double>(terms[i].view().row(row)[c]);
        EXPECT_NEAR(sum, static_cast<double>(vectors.view().row(i)[c]), 1e-6);
        EXPECT_EQ(terms[i].view().row(terms[i].rows() - 1)[c], 0) << "no module has a bias";
      }
    }
  }
}

TEST_F(ModuleTermsTest, SayWhyAVectorIsNoSum) {
  const Model model = load();
  const ModuleChain& modules = ModelAccess::impl(model).sentence.modules;
  EXPECT_EQ(modules.not_additive({}), "");
  EXPECT_EQ(modules.not_additive(PoolingMode::kCls), "pooling cls reads one token");
  EXPECT_EQ(modules.not_additive(PoolingMode::kMax), "pooling max takes the largest number of any token");
}

}  // namespace
}  // namespace bert
