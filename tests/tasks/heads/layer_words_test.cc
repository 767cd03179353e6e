#include <gtest/gtest.h>

#include "bert/explain.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(LayerWords, EndWithTheModelsAnswer) {
  const Model model = Model::builtin();
  const Encoding encoding = model.tokenizer().tokenize("a dog [MASK] an animal");
  const LayerWords result = layer_words(model, encoding, 3);
  ASSERT_EQ(result.words.size(), model.config().num_hidden_layers + 1);
  const TokenSequence one = model.sequence(encoding);
  const Logits logits = model.logits(Head::kMaskedLm, {&one, 1}, {.only_id = model.tokenizer().mask_id()}).front();
  const std::vector<MaskCandidate> expected = mask_candidates(model.tokenizer(), encoding.ids, logits, 3).front();
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result.words.back()[0][i].id, expected[i].id);
    EXPECT_EQ(result.words.back()[0][i].score, expected[i].score);
  }
  ASSERT_EQ(result.last_word.size(), 1u);
  EXPECT_EQ(result.last_word[0].back(), expected[0].score);
  EXPECT_LT(result.last_word[0].front(), expected[0].score);
}

TEST(LayerWords, NeedAMask) {
  const Model model = Model::builtin();
  EXPECT_EQ(
      test::error_of(ErrorCode::kInvalidText, [&] { layer_words(model, model.tokenizer().tokenize("a dog"), 1); }),
      "no mask, expected '[MASK]' in the text");
}

}  // namespace
}  // namespace bert
