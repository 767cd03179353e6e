#include "models/encoder/contacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bert/model.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(Contacts, AreALogisticRegressionOverCorrectedSymmetricWeights) {
  const std::vector<float> weights = {2, -1};
  const ContactRegression regression{weights, 0.5F};
  const std::vector<int32_t> ids = {0, 5, 6, 2};
  Contacts contacts(regression, ids);
  // Between the two inner tokens the first head has {1, 2}, {4, 1}. Made symmetric it is {2, 6}, {6, 2}, whose rows sum
  // to 8. The second head has {1, 0}, {0, 3}. Made symmetric it is {2, 0}, {0, 6}, whose rows sum to 2 and 6.
  contacts.add_layer({{9, 9, 9, 9, 9, 1, 2, 9, 9, 4, 1, 9, 9, 9, 9, 9}});
  contacts.add_layer({{9, 9, 9, 9, 9, 1, 0, 9, 9, 0, 3, 9, 9, 9, 9, 9}});
  std::vector<float> found(4);
  contacts.compute(found.data());
  const auto expected = [](double first, double second) {
    return static_cast<float>(1 / (1 + std::exp(-(2 * first - second + 0.5))));
  };
  EXPECT_FLOAT_EQ(found[0], expected(2 - 4, 2 - 0.5));
  EXPECT_FLOAT_EQ(found[1], expected(6 - 4, 0 - 1.5));
  EXPECT_EQ(found[1], found[2]);
  EXPECT_FLOAT_EQ(found[3], expected(2 - 4, 6 - 4.5));
}

TEST(Contacts, TakeTheAttentionOfAnEndInTheTextAsZero) {
  const std::vector<float> weights = {1};
  const ContactRegression regression{weights, 0};
  const std::vector<int32_t> ids = {0, 2, 6, 2};
  Contacts contacts(regression, ids);
  contacts.add_layer({{9, 9, 9, 9, 9, 1, 2, 9, 9, 4, 1, 9, 9, 9, 9, 9}});
  std::vector<float> found(4);
  contacts.compute(found.data());
  EXPECT_EQ(found, (std::vector<float>{0.5, 0.5, 0.5, 0.5}));
}

TEST(Contacts, NeedAModelWithTheirHead) {
  const Model model = Model::builtin();
  EXPECT_EQ(test::error_of(ErrorCode::kNotFound, [&] { model.encode("a dog", {.contacts = true}); }),
            "the built-in model has no head for contacts, as ESM has it");
}

}  // namespace
}  // namespace bert
