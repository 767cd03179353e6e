#include "program/drawings/findings/position_findings.h"

#include <gtest/gtest.h>

#include "models/config/config.h"

namespace bert::drawings {
namespace {

TEST(PositionFindings, AreOfTheTableOfAModel) {
  const PositionFindings findings(Model::builtin());
  ASSERT_FALSE(findings.empty());
  ASSERT_TRUE(findings.table());
  EXPECT_EQ(findings.title(), "Learned and sinusoidal positions");
  EXPECT_EQ(findings.answer(), findings.table()->answer());
  EXPECT_EQ(findings.text({}), findings.table()->text({}));
}

TEST(PositionFindings, AreOfTheScoresOfAConfiguration) {
  ModelConfig config;
  config.position_embedding_type = "none";
  EXPECT_TRUE(PositionFindings(DistancePositions(config, {})).empty());
}

// ModernBERT rotates queries and keys, and its local layers have windows. The tables of both have more titles.
TEST(PositionFindings, NameEachKindOfDistanceOnce) {
  const ModelConfig config = parse_config(R"({"model_type": "modernbert"})", "config.json");
  EXPECT_EQ(DistancePositions(config, score_positions(config)).answer(),
            "The distance enters the score by rotary positions and windows.");
}

}  // namespace
}  // namespace bert::drawings
