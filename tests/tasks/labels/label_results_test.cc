#include "tasks/labels/label_results.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bert {
namespace {

TEST(LabelResults, ShowNamesInPlaceOfLabels) {
  LabelRequest request{.labels = {"a", "b"}};
  EXPECT_EQ(shown_names(request), request.labels);
  request.names = {"A", "B"};
  EXPECT_EQ(shown_names(request), request.names);
}

TEST(LabelResults, HavePlacesInBytesAndCodePoints) {
  const std::string text = "é 😀 dog";
  const std::vector<FoundEntity> found = {{.label = 1, .place = {8, 11}, .score = 0.75}};
  const std::vector<std::string> names = {"plant", "animal"};
  const Entity entity = named(found, text, names).at(0);
  EXPECT_EQ(entity.entity, "animal");
  EXPECT_EQ(entity.score, 0.75);
  EXPECT_EQ(entity.word, "dog");
  EXPECT_EQ(entity.start, 8u);
  EXPECT_EQ(entity.end, 11u);
  EXPECT_EQ(entity.code_point_start, 4u);
  EXPECT_EQ(entity.code_point_end, 7u);
  EXPECT_EQ(named_bytes({.entities = found}, names), 9u);
}

TEST(LabelResults, AreScoresBestFirst) {
  const std::vector<float> logits = {0, 0, std::log(2.0f)};
  LabelRequest request{.labels = {"a", "b", "c"}};
  std::vector<LabelScore> scores = named(class_scores(logits, request), request.labels);
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].label + scores[1].label + scores[2].label, "cab");
  EXPECT_NEAR(scores[0].score, 0.5, 1e-7);
  request.multi_label = true;
  EXPECT_EQ(named_bytes({.classes = class_scores(logits, request)}, request.labels), 3u);
  scores = named(class_scores(logits, request), request.labels);
  EXPECT_EQ(scores[0].label, "c");
  EXPECT_NEAR(scores[0].score, 2.0 / 3, 1e-7);
  EXPECT_EQ(scores[1].score, 0.5);
}

}  // namespace
}  // namespace bert
