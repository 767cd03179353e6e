#include "program/drawings/findings/position_findings.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace bert::drawings
