#include "tasks/labels/boundaries/boundary_settings.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

BoundarySettings read_boundary(const std::string& members) {
  const std::string text = "{" + members + "}";
  const JsonDocument document = parse_json(text, "config.json", {});
  return read_boundary_settings(JsonObject(document.root(), "config.json", "boundary_head"));
}

TEST(BoundarySettings, HaveTheReferencesDefaults) {
  const BoundarySettings settings = read_boundary("");
  EXPECT_EQ(settings.width, 128u);
  EXPECT_EQ(settings.refinement_width, 256u);
  EXPECT_EQ(settings.candidates, 128u);
  EXPECT_EQ(settings.pool_size, 384u);
  EXPECT_EQ(settings.compatibility_heads, 8u);
  EXPECT_EQ(settings.overlaps, OverlapPolicy::kBestSum);
  EXPECT_TRUE(settings.can_abstain);
  EXPECT_FALSE(settings.shares_candidates);
  EXPECT_TRUE(settings.has_dropout);
}

TEST(BoundarySettings, AreThoseOfTheFile) {
  const BoundarySettings settings = read_boundary(R"(
      "boundary_dim": 6, "boundary_ffn_multiplier": 1.7, "candidate_pool": "shared", "overlap_policy": "longest",
      "pair_dim": 24, "boundary_top_k_alpha": 0.25, "abstention_threshold": 1, "dropout": 0, "rotary_base": 500,
      "content_dim": 5, "content_soft_max_pool": true, "use_inside_evidence": null)");
  EXPECT_EQ(settings.refinement_width, 10u);
  EXPECT_TRUE(settings.shares_candidates);
  EXPECT_EQ(settings.overlaps, OverlapPolicy::kLongest);
  EXPECT_EQ(settings.best_share, 0.25);
  EXPECT_EQ(settings.abstention_threshold, 1);
  EXPECT_FALSE(settings.has_dropout);
  EXPECT_EQ(settings.content.outputs(), 10u);
  EXPECT_TRUE(settings.uses_inside);
}

TEST(BoundarySettings, RefuseWrongValues) {
  const auto refusal = [](const std::string& members) {
    return test::error_of(ErrorCode::kInvalidFile, [&] { read_boundary(members); });
  };
  EXPECT_EQ(refusal(R"("overlap_policy": "best")"),
            "'config.json': boundary_head.overlap_policy: found \"best\", expected flat, nested or longest");
  EXPECT_EQ(refusal(R"("pair_dim": 20)"),
            "'config.json': boundary_head.multihead_pair_compat_heads: missing, expected a divisor of pair_dim 20");
  for (const char* members :
       {R"("boundary_dim": 0)", R"("pair_temperature": 0)", R"("abstention_threshold": 1.5)",
        R"("candidate_pool": "all")", R"("boundary_top_k_max": 8)", R"("enable_rotary_endpoints": true, "pair_dim": 9,
        "multihead_pair_compat_heads": 3)",
        R"("adaptive_threshold": true, "enable_count_head": false)",
        R"("boundary_attention_layers": 1, "boundary_attention_heads": 5)", R"("min_pool_per_query": 400)",
        R"("dropout": "none")"}) {
    EXPECT_NE(refusal(members), "") << members;
  }
}

}  // namespace
}  // namespace bert
