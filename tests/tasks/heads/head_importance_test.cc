#include <gtest/gtest.h>

#include "bert/explain.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

class HeadImportanceTest : public test::TinyModelTest {};

TEST_F(HeadImportanceTest, IsWhatTheVectorLosesWithoutTheHead) {
  const Model model = load();
  const Encoding encoding = model.tokenizer().tokenize("the quick brown fox");
  for (const Ablation ablation : {Ablation::kZero, Ablation::kMean}) {
    const HeadImportance result = head_importance(model, encoding, ablation);
    ASSERT_EQ(result.loss.size(), 2u * 3);
    EXPECT_EQ(result.heads, 3u);
    EXPECT_NEAR(result.whole, 1, 1e-12);
    const std::vector<float> whole = model.embed("the quick brown fox");
    const Model without = intervene(model, {.heads = {{1, 2}}, .ablation = ablation});
    EXPECT_EQ(result.loss[5], result.whole - cosine_similarity(whole, without.embed("the quick brown fox")));
  }
}

TEST_F(HeadImportanceTest, OfAMaskIsTheProbabilityOfItsWord) {
  const Model model = Model::builtin();
  const Encoding encoding = model.tokenizer().tokenize("she opened the [MASK].");
  const HeadImportance result = head_importance(model, encoding);
  EXPECT_EQ(result.answer, "the probability of 'door'");
  EXPECT_EQ(result.whole, layer_words(model, encoding, 1).last_word.at(0).back());
  EXPECT_EQ(result.loss.size(), model.config().attention_layers() * model.config().num_attention_heads);
}

TEST_F(HeadImportanceTest, OfAClassifierIsTheScoreOfItsLabel) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const Model model = Model::load(folder.string());
  EXPECT_EQ(head_importance(model, model.tokenizer().tokenize("a bird")).answer, "the score of 'LABEL_0'");
}

}  // namespace
}  // namespace bert
