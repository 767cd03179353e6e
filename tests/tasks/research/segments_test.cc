// Compares the effects of other segments with encode() on the same tokens with other type ids.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bert/experiments.h"
#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

class SegmentsTest : public test::TinyModelTest {};

TEST_F(SegmentsTest, MoveTheVectorsOfEncode) {
  const Model model = load();
  const Ids ids = {2, 7, 3, 9, 3}, type_ids = {0, 0, 0, 1, 1};
  const TokenSequence sequence{.ids = ids, .type_ids = type_ids};
  const SegmentComparison result = compare_segments(model, sequence);
  EXPECT_EQ(result.swapped.type_ids, (Ids{1, 1, 1, 0, 0}));
  EXPECT_EQ(result.all_a.type_ids, Ids(5, 0));
  EXPECT_EQ(result.all_b.type_ids, Ids(5, 1));
  const EncodedSequence own = model.encode({&sequence, 1}).front();
  for (const SegmentEffect* effect : {&result.swapped, &result.all_a, &result.all_b}) {
    const TokenSequence changed{.ids = ids, .type_ids = effect->type_ids};
    const EncodedSequence other = model.encode({&changed, 1}).front();
    double mean = 0;
    for (size_t t = 0; t < ids.size(); ++t) {
      double square = 0, step = 0;
      for (size_t c = 0; c < own.hidden; ++c) {
        const double a = own.last_hidden_state[t * own.hidden + c], b = other.last_hidden_state[t * own.hidden + c];
        square += a * a;
        step += (b - a) * (b - a);
      }
      EXPECT_NEAR(effect->moved[t], std::sqrt(step / square), 1e-9);
      mean += std::sqrt(step / square) / 5;
    }
    ASSERT_EQ(effect->moved_by_layer.size(), 3u);
    EXPECT_NEAR(effect->moved_by_layer.back(), mean, 1e-9);
    EXPECT_GT(mean, 0);
    EXPECT_LT(effect->embedding_cosine, 1);
  }
}

TEST_F(SegmentsTest, OfTheOriginalMoveNothing) {
  const Model model = load();
  const Ids ids = {2, 7, 3};
  const SegmentComparison result = compare_segments(model, {.ids = ids});  // all tokens are in segment A
  EXPECT_EQ(result.all_a.moved, std::vector<double>(3));
  EXPECT_NEAR(result.all_a.embedding_cosine, 1, 1e-12);
  EXPECT_EQ(result.all_b.moved, result.swapped.moved);
}

// The two segment vectors are set by hand: (3, 4, 0, …) and (0, 5, 0, …) have norms 5 and cosine 0.8.
TEST_F(SegmentsTest, HaveTheVectorsOfTheTable) {
  const Model model = load({}, [](test::TinyTensors& tensors) {
    test::TinyTensor& table = tensors["embeddings.token_type_embeddings.weight"];
    std::fill(table.values.begin(), table.values.end(), 0.0f);
    table.values[0] = 3;
    table.values[1] = 4;
    table.values[table.shape[1] + 1] = 5;
  });
  const Ids ids = {2, 7, 3};
  const SegmentComparison result = compare_segments(model, {.ids = ids});
  EXPECT_EQ(result.norm_a, 5);
  EXPECT_EQ(result.norm_b, 5);
  EXPECT_NEAR(result.cosine, 0.8, 1e-12);
  double norms = 0;
  for (const TokenComposition& token : token_compositions(model, {.ids = ids})) norms += token.word->norm;
  EXPECT_NEAR(result.word_norm, norms / 3, 1e-12);
}

TEST_F(SegmentsTest, NeedAModelThatHasThem) {
  const Ids ids = {2, 7, 3};
  const Model model = load({.types = 1});
  EXPECT_EQ(test::refusal(ErrorCode::kNotFound, [&] { compare_segments(model, {.ids = ids}); }),
            "the model has no segments: its table has 1 row, expected 2 or more");
}

}  // namespace
}  // namespace bert
