// Compares the parts of a token's embedding with formulas over embedding_parts and hidden states.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bert/experiments.h"
#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

class TokenCompositionTest : public test::TinyModelTest {};

double dot(const float* a, const float* b, size_t size) {
  double sum = 0;
  for (size_t i = 0; i < size; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

TEST_F(TokenCompositionTest, HasSharesThatSumToOne) {
  const Model model = load();
  const Ids ids = {2, 7, 9, 3}, type_ids = {0, 0, 1, 1};
  const TokenSequence sequence{.ids = ids, .type_ids = type_ids};
  const EmbeddingParts parts = embedding_parts(model, sequence);
  const std::vector<TokenComposition> tokens = token_compositions(model, sequence);
  ASSERT_EQ(tokens.size(), 4u);
  for (size_t t = 0; t < tokens.size(); ++t) {
    const TokenComposition& token = tokens[t];
    EXPECT_NEAR(token.word->share + token.position->share + token.segment->share, 1, 1e-6) << t;
    const float *word = parts.word.data() + t * parts.hidden, *sum = parts.sum.data() + t * parts.hidden;
    const double squares = dot(sum, sum, parts.hidden), word_squares = dot(word, word, parts.hidden);
    EXPECT_NEAR(token.word->norm, std::sqrt(word_squares), 1e-9);
    EXPECT_NEAR(token.word->share, dot(word, sum, parts.hidden) / squares, 1e-9);
    EXPECT_NEAR(token.word->cosine, dot(word, sum, parts.hidden) / std::sqrt(squares * word_squares), 1e-9);
    EXPECT_NEAR(token.sum_norm, std::sqrt(squares), 1e-9);
  }
}

TEST_F(TokenCompositionTest, MeasuresHowFarLayersMoveATokenThatIsNotMasked) {
  const Model model = load();
  const Ids ids = {2, 7, 9, 3};
  const std::vector<uint8_t> mask = {1, 0, 1, 1};
  const TokenSequence sequence{.ids = ids, .attention_mask = mask};
  const EncodedSequence encoded = model.encode({&sequence, 1}, {.hidden_states = true}).front();
  const std::vector<TokenComposition> tokens = token_compositions(model, sequence);
  ASSERT_EQ(tokens.size(), 3u);
  const size_t size = encoded.tokens * encoded.hidden;
  for (size_t t = 0; t < 3; ++t) {
    ASSERT_EQ(tokens[t].moved.size(), 2u);
    for (size_t layer = 0; layer < 2; ++layer) {
      const float* before = encoded.hidden_states.data() + layer * size + t * encoded.hidden;
      double step = 0;
      for (size_t c = 0; c < encoded.hidden; ++c) step += std::pow(double{before[size + c]} - double{before[c]}, 2);
      EXPECT_NEAR(tokens[t].moved[layer], std::sqrt(step / dot(before, before, encoded.hidden)), 1e-9);
    }
  }
}

TEST_F(TokenCompositionTest, OfAModelWithoutPositionsHasNoneOfThem) {
  load();
  const Model model = Model::load(directory_.path().string(), {.positions = {Positions::kNone}});
  const Ids ids = {2, 7, 3};
  const TokenComposition token = token_compositions(model, {.ids = ids}).front();
  EXPECT_FALSE(token.position);
  EXPECT_NEAR(token.word->share + token.segment->share, 1, 1e-6);
}

}  // namespace
}  // namespace bert
