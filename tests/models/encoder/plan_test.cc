#include "models/encoder/plan.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

LinearPart part(size_t out, size_t in) { return {{nullptr, WeightFormat::kF32, out, in}, nullptr}; }

TEST(EncoderPlan, NeedsRoomForItsWidestMatrixBetweenTwoLayers) {
  EncoderPlan plan;
  plan.embeddings.word.cols = 500;
  plan.layers.emplace_back();
  plan.layers[0].attention.qkv.parts = {part(24, 24), part(24, 24), part(24, 24)};
  plan.layers[0].feed_forwards.emplace_back().network.up.parts = {part(50, 24)};
  EXPECT_EQ(wide_columns(plan), 72u) << "query, key and value side by side";
  plan.layers[0].feed_forwards[0].network.up.parts = {part(96, 24)};
  EXPECT_EQ(wide_columns(plan), 96u);
  plan.embeddings.projection = Linear{{part(24, 500)}};
  EXPECT_EQ(wide_columns(plan), 500u) << "the embeddings are projected from there";
  HeadSpec head{Head::kMaskedLm, HeadInput::kEachToken, {}};
  head.layers.dense = {Linear{{part(600, 24)}}};
  plan.heads.push_back(head);
  EXPECT_EQ(wide_columns(plan), 600u);
}

TEST(EncoderPlan, FindsAHeadByItsName) {
  EncoderPlan plan;
  EXPECT_EQ(plan.find(Head::kMaskedLm), nullptr);
  plan.heads.push_back({Head::kNextSentence, HeadInput::kPooled, {}});
  plan.heads.push_back({Head::kMaskedLm, HeadInput::kEachToken, {}});
  ASSERT_NE(plan.find(Head::kMaskedLm), nullptr);
  EXPECT_EQ(plan.find(Head::kMaskedLm)->input, HeadInput::kEachToken);
}

}  // namespace
}  // namespace bert
