// Compares a head on every layer with the head of a model that ends at that layer.
#include <gtest/gtest.h>

#include "bert/explain.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

TEST(LayerLogits, AreThoseOfTheFirstLayers) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-mlm");
  const Model model = Model::load(folder.string());
  const Encoding encoding = model.tokenizer().tokenize("birds [MASK] in the [MASK]");
  const TokenSequence sequence = model.sequence(encoding);
  const LogitsOptions masks{.only_id = model.tokenizer().mask_id()};
  const std::vector<Logits> layers = layer_logits(model, Head::kMaskedLm, sequence, masks);
  ASSERT_EQ(layers.size(), model.config().num_hidden_layers + 1);
  for (size_t layer = 1; layer < layers.size(); ++layer) {
    const Model first = Model::load(folder.string(), {.layers = layer});
    const Logits expected = first.logits(Head::kMaskedLm, {&sequence, 1}, masks).front();
    EXPECT_EQ(layers[layer].values, expected.values) << layer;
    EXPECT_EQ(layers[layer].rows, 2u);
  }
  EXPECT_EQ(layer_logits(model, Head::kMaskedLm, sequence).back().values,
            model.logits(Head::kMaskedLm, {&sequence, 1}).front().values);
}

TEST(LayerLogits, NeedAHeadOfTokens) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const Model model = Model::load(folder.string());
  const std::vector<int32_t> ids = {2, 3};
  const TokenSequence one{.ids = ids};
  EXPECT_NE(
      test::error_of(ErrorCode::kInvalidArgument, [&] { layer_logits(model, Head::kSequenceClassification, one); })
          .find("expected one that reads each token"),
      std::string::npos);
}

}  // namespace
}  // namespace bert
