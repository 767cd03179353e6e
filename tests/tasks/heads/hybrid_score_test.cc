#include "bert/tasks.h"

#include <gtest/gtest.h>

#include "bert/token_vectors.h"
#include "tests/models/tiny_m3_test.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

class HybridScoreTest : public test::TinyM3Test {};

TEST_F(HybridScoreTest, DividesTheTokensScoreByTheQuerys) {
  const Model model = load();
  EXPECT_TRUE(token_vector_settings(model).mean_score);
  EXPECT_EQ(model.vectors("the fox", {.tokens = true, .role = TextRole::kDocument}).tokens.tokens,
            (std::vector<uint32_t>{1, 2, 3}));
  const TextVectors vectors = vectors_of(model, kAll)[0];
  EXPECT_NEAR(HybridScore(model, {.dense = 0, .sparse = 0}).score(vectors, vectors), 1, 1e-6)
      << "each vector's own length";
}

TEST_F(HybridScoreTest, ScoresByTheWeightsOfTheKinds) {
  const Model model = load();
  const std::vector<TextVectors> all = vectors_of(model, kAll);
  const TextVectors &a = all[0], &b = all[1];
  const double dense = similarity(SimilarityFunction::kCosine, a.dense, b.dense);
  const double sparse = similarity(SimilarityFunction::kDot, a.sparse, b.sparse);
  const double tokens = MaxSim(1).score(a.tokens.values, b.tokens.values, 24) / 3;
  EXPECT_NEAR(HybridScore(model).score(a, b), (dense + sparse + tokens) / 3, 1e-12);
  EXPECT_NEAR(HybridScore(model, {0.4, 0.2, 0.8}).score(a, b), (0.4 * dense + 0.2 * sparse + 0.8 * tokens) / 1.4,
              1e-12);
  EXPECT_NEAR(HybridScore(model, {2, 0, 0}).score({.dense = a.dense}, b), dense, 1e-12) << "other kinds are not needed";
}

TEST_F(HybridScoreTest, RefusesScoresWithoutVectorsOrWeights) {
  const Model model = load();
  const TextVectors one = vectors_of(model, {.dense = EmbedOptions{}})[0];
  const auto score = [&](const KindWeights& weights) {
    return test::refusal(ErrorCode::kInvalidArgument, [&] { HybridScore(model, weights).score(one, one); });
  };
  EXPECT_NE(score({1, 0, 1}).find("a weight for token vectors"), std::string::npos);
  EXPECT_NE(score({0, 0, 0}).find("no kind has a weight"), std::string::npos);
  EXPECT_NE(score({1, -1, 0}).find("for sparse vectors, expected 0 or more"), std::string::npos);
}

}  // namespace
}  // namespace bert
